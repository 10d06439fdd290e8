import { Logger } from '@nestjs/common';
import { messageOf } from '#core';
import { isOutage, type OrgDatabase } from '#database';
import type { Lane } from './lane.js';
import { Settlement } from './settlement.js';
import { Slots } from './slots.js';
import type { TaskStore } from './task-store.js';
import type { Task } from './task.js';

/** While much waits, tasks are claimed when a share of the slots is free, not one by one. */
const CLAIM_SHARE = 8;
const LINGER_MS = 5;
const RETRY_MS = 200;
/** Until another look, where other workers held all that was due. */
const CONTENDED_MS = 20;
/** A lease is renewed before its task is performed where this share of it has passed with loading. */
const STALE_SHARE = 4;

/** Carries out the tasks of one lane in this process. */
export class LaneRunner {
  private readonly logger = new Logger('Governance');
  private readonly slots: Slots;
  private readonly settlement: Settlement;
  private readonly held = new Map<string, Task>();
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
    return this.slots.running;
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

  /** Begins nothing more. */
  stop(): void {
    this.stopped = true;
    clearTimeout(this.lingering);
  }

  /** Ends what can only be ended by force. */
  close(): void {
    this.stop();
    clearInterval(this.renewal);
    this.settlement.close();
  }

  /** Returns whether there may be more. */
  private async claim(): Promise<boolean> {
    const free = this.slots.free;
    if (free <= 0) return false;
    const { lane, slots } = this;
    // Read before the leases begin, so that they never end earlier than is thought here.
    const claimedAt = performance.now();
    const { tasks, contended } = await this.store.claim(
      lane.name,
      free,
      slots.others,
      slots.allowances(),
      lane.leaseMs,
    );
    for (const [orgId, group] of Map.groupBy(tasks, task => task.orgId)) void this.begin(orgId, group, claimedAt);
    if (contended) this.pumpIn(CONTENDED_MS);
    return tasks.length > 0;
  }

  private async begin(orgId: string, tasks: Task[], claimedAt: number): Promise<void> {
    const leaves = new Map(tasks.map(task => [task.id, this.hold(task)]));
    const leave = (task: Task, answered: boolean): void => {
      this.held.delete(task.leaseToken);
      leaves.get(task.id)?.(answered);
      this.linger();
    };
    const jobs = await this.load(orgId, tasks, claimedAt);
    const held = await this.stillHeld(tasks, claimedAt);
    for (const task of tasks) {
      const job = held.has(task.leaseToken) ? jobs.get(task.id) : LOST;
      if (job === LOST) leave(task, true);
      else if (job instanceof Fault) void this.settlement.fault(task, job.message).then(() => leave(task, true));
      else if (job === undefined) void this.settlement.obsolete(task).then(() => leave(task, true));
      else void this.perform(task, job).then(answered => leave(task, answered));
    }
  }

  private hold(task: Task): (answered: boolean) => void {
    this.held.set(task.leaseToken, task);
    if (this.lane.renews) this.renewal ??= setInterval(() => void this.renew(), this.lane.leaseMs / 3).unref();
    return this.slots.take(task.key);
  }

  private async perform(task: Task, job: unknown): Promise<boolean> {
    try {
      const outcome = await this.lane.perform(task, job);
      await this.settlement.end(task, outcome, performance.now());
      return outcome.answered;
    } catch (error) {
      this.logger.error(`Task ${task.id} of ${this.lane.name} failed: ${messageOf(error)}`);
      await this.settlement.fault(task, messageOf(error));
      return true;
    }
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

  /** Leases of which loading has taken a good part are renewed, so that `perform` has the time that it was promised. */
  private async stillHeld(tasks: readonly Task[], claimedAt: number): Promise<Set<string>> {
    const { leaseMs } = this.lane;
    if ((performance.now() - claimedAt) * STALE_SHARE < leaseMs) return new Set(tasks.map(task => task.leaseToken));
    return this.store.renew(tasks, leaseMs).catch(() => new Set());
  }

  private async renew(): Promise<void> {
    if (this.held.size > 0) await this.store.renew([...this.held.values()], this.lane.leaseMs).catch(() => undefined);
  }

  /** Looks for more when a share of the slots is free again, or a moment later. */
  private linger(): void {
    if (this.stopped) return;
    if (this.slots.free * CLAIM_SHARE >= this.lane.slots) {
      clearTimeout(this.lingering);
      this.lingering = undefined;
      void this.pump();
    } else {
      this.pumpIn(LINGER_MS);
    }
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
