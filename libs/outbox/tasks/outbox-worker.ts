import { Inject, Injectable, Logger } from '@nestjs/common';
import { messageOf } from '#core';
import { OrgDatabase } from '#database';
import { OUTBOX_OPTIONS, type OutboxOptions } from '../outbox.options.js';
import type { JobHandler } from './job-handler.js';
import { JobRunner } from './job-runner.js';
import { TaskStore } from './task-store.js';
import { Wakeup } from './wakeup.js';

/** How long a task may wait that nobody told of: a lost notification, a lease that ran out. */
const DEFAULT_POLL_MS = 1_000;
/** Until the next claim, where something has become due that the last one was too early for. */
const JUST_DUE_MS = 5;
/** Longer than any attempt of a queue that does not renew its leases may take. */
const PATIENCE_MS = 11_000;
/** Without a look for so long after it was to come, tasks are not carried out here. */
const STALE_MS = 9_000;

/**
 * Carries out background work in this process: woken by commits, by a timer at the time the next task is due, and once
 * a second in any case. Any number of processes may do so on one database.
 */
@Injectable()
export class OutboxWorker {
  private readonly logger = new Logger('Governance');
  private readonly runners = new Map<string, JobRunner>();
  private readonly store: TaskStore;
  private readonly pollMs: number;
  private timer: NodeJS.Timeout | undefined;
  private looking = false;
  private lookAgain = false;
  private state: 'new' | 'running' | 'stopping' | 'stopped' = 'new';
  private lastLook = performance.now();
  /** When all queues were woken last. */
  private lastWake = performance.now();
  private isReachable = true;

  constructor(
    private readonly database: OrgDatabase,
    private readonly wakeup: Wakeup,
    @Inject(OUTBOX_OPTIONS) private readonly options: OutboxOptions,
  ) {
    this.store = new TaskStore(database);
    this.pollMs = options.pollIntervalMs ?? DEFAULT_POLL_MS;
  }

  /** Gives the worker a queue. @throws Error where its name is taken */
  addJob<Job, Result>(job: JobHandler<Job, Result>): void {
    if (this.runners.has(job.name)) throw new Error(`queues: two carry the name "${job.name}"; give one another name`);
    const runner = new JobRunner(
      job,
      this.database,
      this.store,
      () => void this.look(),
      error => this.reachable(false, error),
    );
    this.runners.set(job.name, runner);
  }

  /** Begins to work, where this process is meant to. */
  start(): void {
    if (this.options.workers === false) return;
    this.state = 'running';
    this.wakeup.onWake((queue, key) => {
      if (queue !== undefined && key !== undefined) this.runners.get(queue)?.recall(key);
      else this.wake(queue);
    });
    this.wake();
  }

  /** Looks for work at once: in one queue, or in all. */
  wake(queue?: string): void {
    if (this.state !== 'running') return;
    if (queue !== undefined) return void this.runners.get(queue)?.pump();
    this.lastWake = performance.now();
    for (const runner of this.runners.values()) void runner.pump();
  }

  /** Claims nothing more from now on. */
  beginStop(): void {
    if (this.state !== 'running') return;
    this.state = 'stopping';
    clearTimeout(this.timer);
    for (const runner of this.runners.values()) runner.stop();
  }

  /** Finishes what is under way, eleven seconds at most; what takes longer is taken over when its lease runs out. */
  async stop(): Promise<void> {
    this.beginStop();
    const until = performance.now() + PATIENCE_MS;
    while (this.isBusy && performance.now() < until) await new Promise(resolve => setTimeout(resolve, 20));
    for (const runner of this.runners.values()) runner.close();
    this.state = 'stopped';
  }

  /** All job handlers that were added. */
  get jobs(): JobHandler[] {
    return [...this.runners.values()].map(({ job }) => job);
  }

  /** Attempts under way in this process. */
  get running(): number {
    let running = 0;
    for (const runner of this.runners.values()) running += runner.running;
    return running;
  }

  /** Whether this process is healthy: its workers run, or it is not meant to have any. */
  get isHealthy(): boolean {
    return this.options.workers === false || performance.now() - this.lastLook < STALE_MS + this.pollMs;
  }

  private get isBusy(): boolean {
    return this.looking || [...this.runners.values()].some(runner => runner.isBusy);
  }

  /** Sets the timer to the moment at which the next task is due. */
  private async look(): Promise<void> {
    this.lookAgain = true;
    if (this.looking) return;
    this.looking = true;
    while (this.lookAgain && this.state === 'running') {
      this.lookAgain = false;
      // Until the answer is there, a timer stands that brings the next look in any case.
      this.schedule(this.pollMs);
      try {
        const next = await this.store.next([...this.runners.keys()]);
        this.lastLook = performance.now();
        this.reachable(true);
        this.scheduleFirst(next);
      } catch (error) {
        this.reachable(false, error);
      }
    }
    this.looking = false;
  }

  private get untilAll(): number {
    return Math.max(0, this.lastWake + this.pollMs - performance.now());
  }

  /** The queues whose task is due first are woken then; the look that follows finds the next ones. */
  private scheduleFirst(next: ReadonlyMap<string, number>): void {
    const first = Math.min(...next.values());
    const { untilAll } = this;
    if (untilAll === 0 || first >= untilAll) return this.schedule(untilAll);
    const queues = [...next].filter(([, inMs]) => inMs <= Math.max(0, first)).map(([queue]) => queue);
    this.schedule(first > 0 ? Math.ceil(first) : JUST_DUE_MS, queues);
  }

  /** Wakes the named queues later, or all of them. */
  private schedule(milliseconds: number, queues?: readonly string[]): void {
    clearTimeout(this.timer);
    if (this.state !== 'running') return;
    this.timer = setTimeout(() => {
      // A queue that is claiming already brings no look when it is woken: another timer stands before that.
      this.schedule(queues === undefined ? this.pollMs : this.untilAll);
      if (queues === undefined) this.wake();
      else for (const queue of queues) this.wake(queue);
    }, milliseconds);
    this.timer.unref();
  }

  /** One line when work stops and one when it goes on, instead of one a second. */
  private reachable(isReachable: boolean, error?: unknown): void {
    if (!isReachable) this.schedule(this.pollMs);
    if (isReachable === this.isReachable) return;
    this.isReachable = isReachable;
    // Whoever was warned is told of the end in the same voice: many log nothing below it.
    if (isReachable) this.logger.warn('Background work goes on.');
    else this.logger.warn(`Background work waits for the database: ${messageOf(error)}`);
  }
}
