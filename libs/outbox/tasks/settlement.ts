import { Logger } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { messageOf, within } from '#core';
import { GroupCommit, isOutage, type OrgDatabase, type StuckGroup } from '#database';
import type { JobHandler } from './job-handler.js';
import type { TaskEnd, TaskFault, TaskStore } from './task-store.js';
import type { Outcome, Settled, Task } from './task.js';

interface Ended extends TaskEnd {
  /** Undefined if the task is obsolete. */
  readonly outcome?: Outcome<unknown>;
}

type Write<Item> = (em: EntityManager, orgId: string, items: readonly Item[]) => Promise<void>;

/** Maximum number of tasks of one organization that are ended in one transaction. */
const BATCH = 200;
const RETRY_FIRST_MS = 50;
const RETRY_MAX_MS = 1_000;
/** Maximum time in milliseconds for which a claim waits for a retried write. */
const RETRY_TIMEOUT_MS = 1_000;

/**
 * Writes the outcomes of tasks in group commits. During an outage of the database, outcomes wait in memory, and are
 * written before the next claim. If another process has claimed a task in the meantime, its outcome is discarded.
 */
export class Settlement {
  private readonly logger = new Logger('Governance');
  // There are two group commits, so that each transaction locks its tasks once and in one order.
  private readonly ends: GroupCommit<Ended, void>;
  private readonly faults: GroupCommit<TaskFault, void>;
  /**
   * Groups that were not written although the database responded to other requests. Claims no longer wait for these
   * groups.
   */
  private alone: ReadonlySet<StuckGroup> = new Set();

  constructor(
    private readonly job: JobHandler,
    private readonly database: OrgDatabase,
    private readonly store: TaskStore,
  ) {
    this.ends = this.groupOf((em, orgId, ended) => this.writeEnds(em, orgId, ended));
    this.faults = this.groupOf((em, orgId, faults) => this.writeFaults(em, orgId, faults));
  }

  /**
   * Retries the waiting writes now, for at most a second. Call it before each claim: a lease that expired during an
   * outage stays valid until a process, possibly this one, claims the task. If a write takes long although the database
   * responds to other requests, for example because it waits for a lock, claims wait for it only once.
   */
  async retryNow(): Promise<void> {
    const stuck = [...this.ends.stuck, ...this.faults.stuck];
    const alone = new Set(stuck.filter(group => this.alone.has(group)));
    this.alone = alone;
    const waitedFor = stuck.filter(group => !alone.has(group));
    await Promise.all(waitedFor.map(group => within(RETRY_TIMEOUT_MS, group.retry()).catch(() => alone.add(group))));
  }

  /** Records that the database is unreachable. When it is reachable again, all waiting outcomes are written first. */
  noteOutage(): void {
    this.alone = new Set();
  }

  /** Writes the outcome of a task. Resolves when the outcome is written or discarded. */
  end(task: Task, outcome: Outcome<unknown>, endedAt: number): Promise<void> {
    const { againAfterMs, payload } = outcome;
    return this.write({ task, outcome, againAfterMs, payload, endedAt });
  }

  /** Ends an obsolete task. */
  obsolete(task: Task): Promise<void> {
    return this.write({ task, againAfterMs: null, endedAt: performance.now() });
  }

  /** Records a fault of a task. Resolves when the fault is written or discarded. */
  async fault(task: Task, message: string): Promise<void> {
    const fault = { task, message };
    try {
      await this.faults.add(task.orgId, fault);
    } catch (error) {
      if (this.isGivenUp(error)) return;
      // An error in `onDeadLetter` must not prevent the dead-lettering of the task. The fault is therefore written
      // without this call.
      await this.database
        .transaction(task.orgId, em => this.store.fault(em, task.orgId, [fault]))
        // After this error, the lease expires, and the task runs again.
        .catch((again: unknown) => this.logger.error(`A fault cannot be written: ${messageOf(again)}`));
    }
  }

  /** Discards waiting outcomes. The leases of their tasks expire. */
  close(): void {
    for (const group of [this.ends, this.faults]) void group.close(0);
  }

  private groupOf<Item>(write: Write<Item>): GroupCommit<Item, void> {
    return new GroupCommit<Item, void>({
      commit: async (orgId, items) => {
        await this.database.transaction(orgId, em => write(em, orgId, items));
        return items.map(() => undefined);
      },
      maxWeight: BATCH,
      concurrency: 1,
      gathers: true,
      // An error that the handler throws is a fault of its task, so it only affects that task.
      isItemFault: error => !isOutage(error),
      retry: {
        firstMs: RETRY_FIRST_MS,
        maxMs: RETRY_MAX_MS,
        onOutage: error => this.logger.warn(`Outcomes of ${this.job.name} must wait: ${messageOf(error)}`),
      },
    });
  }

  private async write(end: Ended): Promise<void> {
    try {
      await this.ends.add(end.task.orgId, end);
    } catch (error) {
      if (!this.isGivenUp(error)) await this.fault(end.task, messageOf(error));
    }
  }

  /** Whether the outcome was discarded because of an outage of the database. Otherwise it can never be written. */
  private isGivenUp(error: unknown): boolean {
    if (isOutage(error)) return true;
    this.logger.error(`An outcome of ${this.job.name} cannot be written: ${messageOf(error)}`);
    return false;
  }

  private async writeEnds(em: EntityManager, orgId: string, ended: readonly Ended[]): Promise<void> {
    const settled: Settled<unknown>[] = [];
    for (const each of withTasksOnce(ended)) {
      const held = await this.store.end(em, orgId, each);
      for (const { task, outcome } of each) {
        if (outcome && held.has(task.id)) settled.push({ task, result: outcome.result });
      }
    }
    if (settled.length > 0) await this.job.settle(em, orgId, settled);
  }

  private async writeFaults(em: EntityManager, orgId: string, faults: readonly TaskFault[]): Promise<void> {
    const dead = await this.store.fault(em, orgId, faults);
    const tasks = faults.map(({ task }) => task).filter(task => dead.has(task.id));
    if (tasks.length > 0) await this.job.onDeadLetter(em, orgId, tasks);
  }
}

/**
 * Splits a batch so that no part contains a task twice. This process may end two attempts of one task at the same time,
 * if it claimed the task again after its lease had expired. The store returns ids of tasks, so each call may contain
 * only one attempt of a task.
 */
function withTasksOnce(ended: readonly Ended[]): (readonly Ended[])[] {
  if (new Set(ended.map(({ task }) => task.id)).size === ended.length) return [ended];
  const parts: Map<string, Ended>[] = [];
  for (const end of ended) {
    let part = parts.find(each => !each.has(end.task.id));
    if (part === undefined) parts.push((part = new Map()));
    part.set(end.task.id, end);
  }
  return parts.map(part => Array.from(part.values()));
}
