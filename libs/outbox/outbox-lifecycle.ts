import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EventListeners } from './listeners/event-listeners.js';
import { ListenerJob } from './listeners/listener.job.js';
import { PartitionUpkeep } from './partitions/partition-upkeep.js';
import { EventOutbox } from './store/event-outbox.js';
import { OutboxWorker } from './tasks/outbox-worker.js';

/** Starts and ends background work; the module says when. */
@Injectable()
export class OutboxLifecycle implements OnModuleInit {
  constructor(
    private readonly worker: OutboxWorker,
    private readonly upkeep: PartitionUpkeep,
    private readonly outbox: EventOutbox,
    private readonly listeners: EventListeners,
    private readonly job: ListenerJob,
  ) {}

  /** From now on nothing is fired that listeners do not get; what hosts fire while they start is carried out later. */
  onModuleInit(): void {
    this.listeners.find();
    this.outbox.addConsumer(this.job);
    this.worker.addJob(this.job);
  }

  /** To be called when every queue is added. */
  async start(): Promise<void> {
    await this.upkeep.keep();
    this.worker.start();
  }

  /** Begins nothing more; what is under way goes on. */
  beginStop(): void {
    this.worker.beginStop();
  }

  /** Waits for what is under way. */
  async stop(): Promise<void> {
    this.beginStop();
    await this.worker.stop();
  }
}
