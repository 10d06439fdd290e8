import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EventListeners } from './listeners/event-listeners.js';
import { ListenerJob } from './listeners/listener.job.js';
import { PartitionUpkeep } from './partitions/partition-upkeep.js';
import { EventOutbox } from './store/event-outbox.js';
import { OutboxWorker } from './tasks/outbox-worker.js';

/** Starts and stops background work. The module calls it. */
@Injectable()
export class OutboxLifecycle implements OnModuleInit {
  constructor(
    private readonly worker: OutboxWorker,
    private readonly upkeep: PartitionUpkeep,
    private readonly outbox: EventOutbox,
    private readonly listeners: EventListeners,
    private readonly job: ListenerJob,
  ) {}

  /**
   * Registers the listeners before any event can be emitted. Events that are emitted during the boot are delivered once
   * workers run.
   */
  onModuleInit(): void {
    this.listeners.find();
    this.outbox.addConsumer(this.job);
    this.worker.addJob(this.job);
  }

  /** Starts background work. Call it after every job handler was added. */
  async start(): Promise<void> {
    await this.upkeep.keep();
    this.worker.start();
  }

  /** Stops claiming tasks. Running attempts continue. */
  beginStop(): void {
    this.worker.beginStop();
  }

  /** Waits for running attempts. */
  async stop(): Promise<void> {
    this.beginStop();
    await this.worker.stop();
  }
}
