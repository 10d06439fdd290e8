import { Logger } from '@nestjs/common';
import { messageOf } from '#core';
import { isOutage, type OrgDatabase } from '#database';
import type { Lane } from './lane.js';
import { Settlement } from './settlement.js';
import { Slots } from './slots.js';
import type { TaskStore } from './task-store.js';
import type { Task } from './task.js';
import { Pace } from './pace.js';
import { WaitingTasks } from './waiting-tasks.js';

/** How many tasks a key that answers is given for each slot that it has: those under way, and the next ones. */
const AHEAD = 3;
/** Tasks are claimed ahead for so long: what is at hand knows nothing of what has changed since. */
const AHEAD_MS = 30;
/** Outcomes that may wait to be written, for each slot, before nothing more is claimed. */
const UNWRITTEN = 4;
/** While much waits, tasks are claimed when there is room for a share of the slots, not one by one. */
const CLAIM_SHARE = 2;
const LINGER_MS = 5;
const RETRY_MS = 200;
/** Until another look, where other workers held all that was due. */
const CONTENDED_MS = 20;
/** A lease is renewed before its task is performed where this share of it has passed with loading. */
const STALE_SHARE = 4;

/** A task with what it needs. */
interface Loaded {
  readonly key: string;
  readonly task: Task;
  readonly job: unknown;
  readonly claimedAt: number;
}

/**
 * Carries out the tasks of one lane in this process. Tasks are claimed and loaded ahead of the slots, and their outcomes
 * written behind them, each in batches: a slot is held while `perform` is at work, and not while the database is.
 */
export class LaneRunner {
  private readonly logger = new Logger('Governance');
  private readonly slots: Slots;
  private readonly settlement: Settlement;
  private readonly held = new Map<string, Task>();
  private readonly waiting = new WaitingTasks<Loaded>();
  private readonly turns = new Map<string, Promise<unknown>>();
  private readonly pace = new Pace();
  /** When the tasks of a key were recalled last. */
  private readonly recalls = new Map<string, number>();
  private pumping = false;
  private wanted = false;
  private stopped = false;
  private lingering: NodeJS.Timeout | undefined;
  private renewal: NodeJS.Timeout | undefined;

  constructor(
    readonly lane: Lane,
    private readonly database: OrgDatabase,
    private readonly store: TaskStore,
    /** Called after a claim that found nothing more: when the next task is due may have changed. */
    private readonly drained: () => void,
    private readonly failed: (error: unknown) => void,
  ) {
    this.slots = new Slots({ total: lane.slots, perKey: lane.slotsPerKey });
    this.settlement = new Settlement(lane, database, store);
  }

  /** Tasks that this process holds. */
  get running(): number {
    return this.held.size;
  }

  /** Whether tasks are held, or may be on their way here. */
  get isBusy(): boolean {
    return this.pumping || this.running > 0;
  }

  /** Claims and begins what is due, as far as slots are free. Never rejects. */
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
      this.failed(error);
    } finally {
      this.pumping = false;
    }
    this.drained();
  }

  /** What was claimed of a key and not begun goes back: something about the key has changed. */
  recall(key: string): void {
    const now = performance.now();
    for (const [other, at] of this.recalls) if (now - at > this.lane.leaseMs) this.recalls.delete(other);
    this.recalls.set(key, now);
    this.giveBack(this.waiting.takeAll(key));
  }

  /** Begins nothing more, and gives back what was not begun. */
  stop(): void {
    this.stopped = true;
    clearTimeout(this.lingering);
    this.giveBack([...this.waiting.keys].flatMap(key => this.waiting.takeAll(key)));
  }

  /** Ends what can only be ended by force. */
  close(): void {
    this.stop();
    clearInterval(this.renewal);
    this.settlement.close();
  }

  /** Returns whether there may be more. */
  private async claim(): Promise<boolean> {
    if (this.settlement.isStuck) return false;
    this.giveBackOfSlowKeys();
    const { lane, slots, waiting } = this;
    const want = this.room;
    if (want <= 0) return false;
    // Read before the leases begin, so that they never end earlier than is thought here.
    const claimedAt = performance.now();
    const allowances = slots.allowances(AHEAD, key => waiting.of(key));
    const { tasks, contended } = await this.store.claim(lane.name, want, slots.others, allowances, lane.leaseMs);
    for (const [orgId, group] of Map.groupBy(tasks, task => task.orgId)) void this.begin(orgId, group, claimedAt);
    if (contended) this.pumpIn(CONTENDED_MS);
    // As long as there is room for a good many; the next claim comes when there is again.
    return tasks.length > 0 && this.room >= this.enough;
  }

  /** How many tasks may be claimed: for the slots, ahead of them, and as long as their outcomes get written. */
  private get room(): number {
    const { slots } = this.lane;
    const unwritten = this.held.size - this.slots.running - this.waiting.size;
    if (unwritten > slots * UNWRITTEN) return 0;
    return this.slots.free + Math.min(slots * (AHEAD - 1), this.pace.in(AHEAD_MS)) - this.waiting.size;
  }

  private get enough(): number {
    return Math.ceil(this.lane.slots / CLAIM_SHARE);
  }

  private async begin(orgId: string, tasks: Task[], claimedAt: number): Promise<void> {
    for (const task of tasks) this.hold(task);
    const { loadedAt, jobs } = await this.inTurn(orgId, async () => ({
      loadedAt: performance.now(),
      jobs: await this.load(orgId, tasks, claimedAt),
    }));
    const recalled: Task[] = [];
    for (const task of tasks) {
      const job = jobs.get(task.id);
      const isRecalled = (this.recalls.get(task.key) ?? -Infinity) > loadedAt;
      if (job !== LOST && !isRecalled && !(job instanceof Fault) && job !== undefined) {
        this.waiting.put({ key: task.key, task, job, claimedAt });
        continue;
      }
      this.waiting.dismiss(task.key);
      if (job === LOST) this.leave(task);
      else if (job instanceof Fault) void this.settlement.fault(task, job.message).then(() => this.leave(task));
      else if (job === undefined) void this.settlement.obsolete(task).then(() => this.leave(task));
      else recalled.push(task);
    }
    this.giveBack(recalled);
    if (this.stopped) this.stop();
    else this.dispatch();
  }

  /** Batches of an organization are loaded one after the other, so that what was due first stays first. */
  private async inTurn<T>(orgId: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.turns.get(orgId) ?? Promise.resolve()).then(work);
    this.turns.set(orgId, turn);
    try {
      return await turn;
    } finally {
      if (this.turns.get(orgId) === turn) this.turns.delete(orgId);
    }
  }

  /** Gives free slots to what waits, to one task of each key after the other. */
  private dispatch(): void {
    for (const key of this.waiting.keys) {
      if (this.slots.free <= 0) return;
      const next = this.slots.freeOf(key) > 0 ? this.waiting.take(key) : undefined;
      if (next) void this.perform(next, this.slots.take(key));
    }
  }

  private hold(task: Task): void {
    this.held.set(task.id, task);
    this.waiting.expect(task.key);
    if (this.lane.renews) this.renewal ??= setInterval(() => void this.renew(), this.lane.leaseMs / 3).unref();
  }

  private leave(task: Task): void {
    this.held.delete(task.id);
    this.linger();
  }

  private async perform({ task, job, claimedAt }: Loaded, leaveSlot: (answered: boolean) => void): Promise<void> {
    let written: Promise<void>;
    try {
      if (!(await this.stillHolds(task, claimedAt))) {
        leaveSlot(true);
        return this.leave(task);
      }
      const outcome = await this.lane.perform(task, job);
      leaveSlot(outcome.answered);
      written = this.settlement.end(task, outcome, performance.now());
    } catch (error) {
      leaveSlot(true);
      this.logger.error(`Task ${task.id} of ${this.lane.name} failed: ${messageOf(error)}`);
      written = this.settlement.fault(task, messageOf(error));
    }
    this.pace.count();
    this.dispatch();
    await written;
    this.leave(task);
  }

  /** What waits for a key that has begun to hang would wait in vain: it is due again, for any worker. */
  private giveBackOfSlowKeys(): void {
    const slow = [...this.waiting.keys].filter(key => this.slots.isSlow(key));
    this.giveBack(slow.flatMap(key => this.waiting.takeAll(key)));
  }

  private giveBack(entries: readonly (Task | Loaded)[]): void {
    if (entries.length === 0) return;
    const tasks = entries.map(entry => ('task' in entry ? entry.task : entry));
    // Where this fails the leases run out.
    void this.store
      .release(tasks)
      .catch(() => undefined)
      .then(() => {
        for (const task of tasks) this.leave(task);
      });
  }

  /**
   * A task that cannot be loaded must not take its neighbours along. While the database is away, loading is tried until
   * the leases have run out; then the tasks belong to whoever claims them next.
   */
  private async load(orgId: string, tasks: readonly Task[], claimedAt: number): Promise<Map<string, unknown>> {
    try {
      return await this.database.transaction(orgId, em => this.lane.load(em, orgId, tasks));
    } catch (error) {
      if (isOutage(error)) {
        if (this.stopped || performance.now() - claimedAt > this.lane.leaseMs) return allOf(tasks, LOST);
        await new Promise(resolve => setTimeout(resolve, RETRY_MS));
        return this.load(orgId, tasks, claimedAt);
      }
      if (tasks.length === 1) return allOf(tasks, new Fault(messageOf(error)));
      const middle = tasks.length >>> 1;
      const first = await this.load(orgId, tasks.slice(0, middle), claimedAt);
      return new Map([...first, ...(await this.load(orgId, tasks.slice(middle), claimedAt))]);
    }
  }

  /** A lease of which waiting has taken a good part is renewed, so that `perform` has the time that it was promised. */
  private async stillHolds(task: Task, claimedAt: number): Promise<boolean> {
    const { leaseMs } = this.lane;
    if ((performance.now() - claimedAt) * STALE_SHARE < leaseMs) return true;
    const held = await this.store.renew([task], leaseMs).catch(() => new Set());
    return held.has(task.id);
  }

  private async renew(): Promise<void> {
    if (this.held.size > 0) await this.store.renew([...this.held.values()], this.lane.leaseMs).catch(() => undefined);
  }

  /** Looks for more at once when nothing is at hand, and in a moment when there is room for a good many. */
  private linger(): void {
    if (this.stopped) return;
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

/** Stands in place of a job that could not be loaded. */
class Fault {
  constructor(readonly message: string) {}
}

/** Stands in place of a job whose lease has run out. */
const LOST = Symbol('lost');

function allOf(tasks: readonly Task[], instead: unknown): Map<string, unknown> {
  return new Map(tasks.map(task => [task.id, instead]));
}
