import { Logger } from '@nestjs/common';
import { messageOf } from '#core';
import { traced, type OrgDatabase } from '#database';
import { HeldLeases } from './held-leases.js';
import type { JobHandler } from './job-handler.js';
import { leavesSome } from './leaves-some.js';
import { RateMeter } from './rate-meter.js';
import { AHEAD, AHEAD_MS, CLAIM_SHARE, CONTENDED_MS, LINGER_MS, roomFor, WATCH_MS } from './pipeline-limits.js';
import { Settlement } from './settlement.js';
import { Slots } from './slots.js';
import { TaskLoader } from './task-loader.js';
import { TaskReturns } from './task-returns.js';
import type { TaskStore } from './task-store.js';
import type { Task } from './task.js';
import { WaitingTasks } from './waiting-tasks.js';

interface Loaded {
  readonly key: string;
  readonly task: Task;
  readonly work: unknown;
  readonly claimedAt: number;
}

/**
 * Runs the tasks of one queue in this process. Tasks are claimed and loaded in batches before a slot is free, and their
 * outcomes are written in batches afterwards. A slot is occupied only during `perform`, not during database work.
 */
export class JobRunner {
  private readonly logger = new Logger('Governance');
  private readonly slots: Slots;
  private readonly settlement: Settlement;
  private readonly loader: TaskLoader;
  private readonly held: HeldLeases;
  private readonly enough: number;
  private readonly waiting = new WaitingTasks<Loaded>();
  private readonly completions = new RateMeter();
  private readonly returns = new TaskReturns();
  private pumping = false;
  private wanted = false;
  /** Whether tasks may be due without a notification: the last claim left some, or some became due later. */
  private mayBeMore = true;
  private hasGone = false; // A task has ended since the running claim began. The claim did not count its slot.
  private stopped = false;
  private lingering: NodeJS.Timeout | undefined;
  private watching: NodeJS.Timeout | undefined;

  constructor(
    readonly job: JobHandler,
    database: OrgDatabase,
    private readonly store: TaskStore,
    /** Called after a claim that found no more tasks. The due time of the next task may have changed. */
    private readonly drained: () => void,
    private readonly failed: (error: unknown) => void,
  ) {
    this.slots = new Slots({ total: job.slots, perKey: job.slotsPerKey });
    this.settlement = new Settlement(job, database, store);
    this.loader = new TaskLoader(job, database, store);
    this.held = new HeldLeases(job, store);
    this.enough = Math.ceil(job.slots / CLAIM_SHARE);
  }

  /** Number of tasks whose lease this process holds. */
  get running(): number {
    return this.held.size;
  }

  /** Whether leases are held, or a claim is running. */
  get isBusy(): boolean {
    return this.pumping || this.running > 0;
  }

  /** Claims due tasks while there is room, and starts them. Never rejects. */
  async pump(): Promise<void> {
    this.wanted = true;
    if (this.pumping || this.stopped) return;
    this.pumping = true;
    try {
      while (this.wanted && !this.stopped) {
        this.wanted = false;
        if (await this.claim()) this.wanted = true;
      }
    } catch (error) {
      this.mayBeMore = true;
      this.settlement.noteOutage();
      this.failed(error);
    } finally {
      this.pumping = false;
    }
    this.drained();
  }

  /** Returns the tasks of a key that were claimed but not started, because data that they need has changed. */
  recall(key: string): void {
    this.giveBack(this.waiting.takeAll(key));
    // Tasks that are still being claimed or loaded are returned when that is finished.
    this.returns.recall(key, this.job.leaseMs);
  }

  /** Stops starting tasks, and returns tasks that were not started. */
  stop(): void {
    this.stopped = true;
    this.loader.stop();
    for (const timer of [this.lingering, this.watching]) clearTimeout(timer);
    this.giveBack([...this.waiting.keys].flatMap(key => this.waiting.takeAll(key)));
  }

  /** Stops the timers and discards outcomes that are not written. */
  close(): void {
    this.stop();
    this.held.close();
    this.settlement.close();
  }

  /** Claims tasks. Returns whether more tasks may be due. */
  private async claim(): Promise<boolean> {
    await this.settlement.retryNow();
    this.giveBackOfSlowKeys();
    this.dispatch();
    const { job, slots, waiting } = this;
    const want = this.room;
    this.mayBeMore = want <= 0;
    if (want <= 0) return false;
    // Read before the leases begin. A lease therefore never ends earlier than this process assumes.
    const claimedAt = performance.now();
    const allowances = slots.allowances(AHEAD, key => waiting.of(key));
    // Tasks that are being returned are due earlier than others. No later task of their key may be claimed before them.
    for (const key of this.returns.keys) allowances.set(key, 0);
    for (const [key, since] of waiting.beingLoaded()) if (this.returns.isRecalled(key, since)) allowances.set(key, 0);
    this.hasGone = false;
    const claim = await this.store.claim(job.name, want, slots.others, allowances, job.leaseMs);
    if (leavesSome(claim, want, slots.others, allowances)) this.mayBeMore = true;
    for (const [orgId, group] of Map.groupBy(claim.tasks, task => task.orgId)) void this.begin(orgId, group, claimedAt);
    if (claim.contended) this.pumpIn(CONTENDED_MS);
    // The next claim starts at once only if there is room for a batch. Otherwise it waits for room.
    return this.mayBeMore && (this.hasGone || (claim.tasks.length > 0 && this.room >= this.enough));
  }

  private get room(): number {
    const { held, waiting, slots } = this;
    return roomFor(this.job.slots, slots, { held: held.size, waiting, soon: this.completions.in(AHEAD_MS) });
  }

  private async begin(orgId: string, claimed: Task[], claimedAt: number): Promise<void> {
    const isRecalled = ({ key }: Task): boolean => this.returns.isRecalled(key, claimedAt);
    for (const task of claimed) this.held.add(task);
    this.giveBack(claimed.filter(isRecalled));
    const tasks = claimed.filter(task => !isRecalled(task));
    for (const { key } of tasks) this.waiting.expect(key, claimedAt);
    const loaded = await this.loader.load(orgId, tasks, claimedAt);
    for (const task of tasks) {
      const outcome = loaded.get(task.id) ?? { kind: 'obsolete' };
      if (outcome.kind === 'ready' && !isRecalled(task)) {
        this.waiting.put({ key: task.key, task, work: outcome.work, claimedAt });
        continue;
      }
      this.waiting.dismiss(task.key);
      if (outcome.kind === 'ready') this.giveBack([task]);
      else if (outcome.kind === 'lost') this.leave(task, true);
      else if (outcome.kind === 'obsolete') void this.settlement.obsolete(task).then(() => this.leave(task, false));
      else void this.settlement.fault(task, outcome.message).then(() => this.leave(task, true));
    }
    if (this.stopped) this.stop();
    else this.dispatch();
    this.watch();
  }

  /** Schedules a claim while tasks wait for slots. That claim also returns the tasks of keys that hang. */
  private watch(): void {
    if (this.stopped || this.waiting.size === 0) return;
    this.watching ??= setTimeout(() => {
      this.watching = undefined;
      void this.pump().then(() => this.watch());
    }, WATCH_MS).unref();
  }

  /** Starts waiting tasks in free slots, round-robin by key. */
  private dispatch(): void {
    for (const key of this.waiting.keys) {
      if (this.slots.free <= 0) return;
      const next = this.slots.freeOf(key) > 0 ? this.waiting.take(key) : undefined;
      if (next) void this.perform(next, this.slots.take(key));
    }
  }

  /** Releases the lease of a task. `isOpen`: whether the task has to run again. */
  private leave(task: Task, isOpen: boolean): void {
    this.held.delete(task);
    this.hasGone = true;
    if (isOpen) this.mayBeMore = true;
    this.linger();
  }

  private async perform({ task, work, claimedAt }: Loaded, leaveSlot: (answered: boolean) => void): Promise<void> {
    let written: Promise<void>;
    let isOpen = true;
    try {
      if (!(await this.held.isGood(task, claimedAt))) {
        leaveSlot(true);
        this.dispatch();
        return this.leave(task, isOpen);
      }
      const about = { 'governance.org_id': task.orgId, 'governance.task_id': task.id };
      const outcome = await traced(`governance.job ${this.job.name}`, about, () => this.job.perform(task, work));
      leaveSlot(outcome.answered);
      isOpen = outcome.againAfterMs !== null;
      written = this.settlement.end(task, outcome, performance.now());
    } catch (error) {
      leaveSlot(true);
      this.logger.error(`Task ${task.id} of ${this.job.name} failed: ${messageOf(error)}`);
      written = this.settlement.fault(task, messageOf(error));
    }
    this.completions.count();
    this.dispatch();
    await written;
    this.leave(task, isOpen);
  }

  /** Releases the waiting tasks of slow keys, so that any worker can claim them later. */
  private giveBackOfSlowKeys(): void {
    const slow = [...this.waiting.keys].filter(key => this.slots.isSlow(key));
    this.giveBack(slow.flatMap(key => this.waiting.takeAll(key)));
  }

  private giveBack(entries: readonly (Task | Loaded)[]): void {
    if (entries.length === 0) return;
    const tasks = entries.map(entry => ('task' in entry ? entry.task : entry));
    for (const { key } of tasks) this.returns.begin(key);
    const leave = (): void => {
      for (const { key } of tasks) this.returns.end(key);
      for (const task of tasks) this.leave(task, true);
    };
    // If the release fails, the leases expire.
    void this.store.release(tasks).then(leave, leave);
  }

  /** Schedules a claim if tasks may be due: at once if no claimed task waits, else when a batch has room. */
  private linger(): void {
    if (this.stopped || !this.mayBeMore) return;
    if (this.waiting.size === 0) void this.pump();
    else if (this.room >= this.enough) this.pumpIn(LINGER_MS);
  }

  private pumpIn(milliseconds: number): void {
    if (this.stopped) return;
    this.lingering ??= setTimeout(() => {
      this.lingering = undefined;
      void this.pump();
    }, milliseconds);
  }
}
