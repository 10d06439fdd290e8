import { Inject, Injectable, Logger, Optional } from '@nestjs/common';
import { messageOf } from '#core';
import { OrgDatabase } from '#database';
import { OUTBOX_OPTIONS, type OutboxOptions } from '../outbox.options.js';
import type { JobHandler } from './job-handler.js';
import { JobRunner } from './job-runner.js';
import { SuspendedTasks } from './suspended-tasks.js';
import { TaskStore } from './task-store.js';
import { Wakeup } from './wakeup.js';

/**
 * Poll interval in milliseconds. It is the longest wait of a task whose notification was lost or whose lease expired.
 */
const DEFAULT_POLL_MS = 1_000;
/** Delay in milliseconds of a claim for a task that becomes due just after the last claim. */
const JUST_DUE_MS = 5;
/**
 * Maximum wait in milliseconds for running attempts when the worker stops. It is longer than any attempt of a queue
 * without renewals.
 */
const TIMEOUT_MS = 11_000;
/** If a poll is late by this many milliseconds, this process is considered unhealthy. */
const STALE_MS = 9_000;

/**
 * Runs background work in this process. It looks for tasks after commits, at the due time of the next task, and once
 * per poll interval. Any number of processes can share one database.
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
  /** Time of the last wake-up of all queues. */
  private lastWake = performance.now();
  private isReachable = true;

  constructor(
    private readonly database: OrgDatabase,
    private readonly wakeup: Wakeup,
    @Inject(OUTBOX_OPTIONS) private readonly options: OutboxOptions,
    @Optional() suspended?: SuspendedTasks,
  ) {
    this.store = new TaskStore(database, suspended);
    this.pollMs = options.pollIntervalMs ?? DEFAULT_POLL_MS;
  }

  /**
   * Adds a job handler.
   * @throws Error if another handler has the same name
   */
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

  /** Starts the worker, unless the options disable workers in this process. */
  start(): void {
    if (this.options.workers === false) return;
    this.state = 'running';
    this.wakeup.onWake((queue, key) => {
      if (queue !== undefined && key !== undefined) this.runners.get(queue)?.recall(key);
      else this.wake(queue);
    });
    this.wake();
  }

  /** Claims tasks at once, in one queue or in all queues. */
  wake(queue?: string): void {
    if (this.state !== 'running') return;
    if (queue !== undefined) return void this.runners.get(queue)?.pump();
    this.lastWake = performance.now();
    for (const runner of this.runners.values()) void runner.pump();
  }

  /** Stops claiming tasks. */
  beginStop(): void {
    if (this.state !== 'running') return;
    this.state = 'stopping';
    clearTimeout(this.timer);
    for (const runner of this.runners.values()) runner.stop();
  }

  /**
   * Waits for running attempts, at most eleven seconds. If an attempt takes longer, another worker repeats it after its
   * lease has expired.
   */
  async stop(): Promise<void> {
    this.beginStop();
    const until = performance.now() + TIMEOUT_MS;
    while (this.isBusy && performance.now() < until) await new Promise(resolve => setTimeout(resolve, 20));
    for (const runner of this.runners.values()) runner.close();
    this.state = 'stopped';
  }

  /** The job handlers. */
  get jobs(): JobHandler[] {
    return [...this.runners.values()].map(({ job }) => job);
  }

  /** Number of tasks that this process holds. */
  get running(): number {
    let running = 0;
    for (const runner of this.runners.values()) running += runner.running;
    return running;
  }

  /** Whether the workers of this process run as expected, or are disabled. */
  get isHealthy(): boolean {
    return this.options.workers === false || performance.now() - this.lastLook < STALE_MS + this.pollMs;
  }

  private get isBusy(): boolean {
    return this.looking || [...this.runners.values()].some(runner => runner.isBusy);
  }

  /** Sets the timer to the due time of the next task. */
  private async look(): Promise<void> {
    this.lookAgain = true;
    if (this.looking) return;
    this.looking = true;
    while (this.lookAgain && this.state === 'running') {
      this.lookAgain = false;
      // If the query hangs, this timer still triggers the next poll.
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

  /** Schedules the queues whose next task is due first. After their claim, the next due time is determined again. */
  private scheduleFirst(next: ReadonlyMap<string, number>): void {
    const first = Math.min(...next.values());
    const { untilAll } = this;
    if (untilAll === 0 || first >= untilAll) return this.schedule(untilAll);
    const queues = [...next].filter(([, inMs]) => inMs <= Math.max(0, first)).map(([queue]) => queue);
    this.schedule(first > 0 ? Math.ceil(first) : JUST_DUE_MS, queues);
  }

  /** Wakes the given queues, or all queues, after a delay. */
  private schedule(milliseconds: number, queues?: readonly string[]): void {
    clearTimeout(this.timer);
    if (this.state !== 'running') return;
    this.timer = setTimeout(() => {
      // Sets the next timer first, because a queue that is already claiming does not determine the next due time when
      // it is woken.
      this.schedule(queues === undefined ? this.pollMs : this.untilAll);
      if (queues === undefined) this.wake();
      else for (const queue of queues) this.wake(queue);
    }, milliseconds);
    this.timer.unref();
  }

  /** Logs once when the database becomes unreachable, and once when it is reachable again. */
  private reachable(isReachable: boolean, error?: unknown): void {
    if (!isReachable) this.schedule(this.pollMs);
    if (isReachable === this.isReachable) return;
    this.isReachable = isReachable;
    // Log recovery at `warn`, the level of the outage, because many deployments drop lower levels.
    if (isReachable) this.logger.warn('Background work goes on.');
    else this.logger.warn(`Background work waits for the database: ${messageOf(error)}`);
  }
}
