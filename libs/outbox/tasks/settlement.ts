import { Logger } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { messageOf, within } from '#core';
import { GroupCommit, isOutage, type OrgDatabase, type StuckGroup } from '#database';
import type { JobHandler } from './job-handler.js';
import type { TaskEnd, TaskFault, TaskStore } from './task-store.js';
import type { Outcome, Settled, Task } from './task.js';

interface Ended extends TaskEnd {
  /** Missing if the task is obsolete. */
  readonly outcome?: Outcome<unknown>;
}

type Write<Item> = (em: EntityManager, orgId: string, items: readonly Item[]) => Promise<void>;

/** Tasks of one organization that are ended in one transaction. */
const BATCH = 200;
const RETRY_FIRST_MS = 50;
const RETRY_MAX_MS = 1_000;
/** Longest wait of a claim for a retried write. */
const RETRY_TIMEOUT_MS = 1_000;

/**
 * Writes the outcomes of tasks in group commits. In an outage of the database, outcomes wait here, and are written before
 * the next claim. If another process has taken over the task meanwhile, its outcome is dropped.
 */
export class Settlement {
  private readonly logger = new Logger('Governance');
  // Two group commits, so that each transaction locks its tasks once and in one order.
  private readonly ends: GroupCommit<Ended, void>;
  private readonly faults: GroupCommit<TaskFault, void>;
  /** Groups that did not finish although the database answered other requests. Claims no longer wait for them. */
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
   * Retries the waiting writes now, for a second at most. Call it before each claim: a lease that expired during an
   * outage still holds until any process, this one included, claims the task. If a write is late although the database
   * answers other requests, for example because it waits for a lock, claims wait for it only once.
   */
  async retryNow(): Promise<void> {
    const stuck = [...this.ends.stuck, ...this.faults.stuck];
    const alone = new Set(stuck.filter(group => this.alone.has(group)));
    this.alone = alone;
    const waitedFor = stuck.filter(group => !alone.has(group));
    await Promise.all(waitedFor.map(group => within(RETRY_TIMEOUT_MS, group.retry()).catch(() => alone.add(group))));
  }

  /** Notes that the database is unreachable: when it is back, all waiting outcomes are written first. */
  noteOutage(): void {
    this.alone = new Set();
  }

  /** Resolves when the outcome is written or dropped. */
  end(task: Task, outcome: Outcome<unknown>, endedAt: number): Promise<void> {
    const { againAfterMs, payload } = outcome;
    return this.write({ task, outcome, againAfterMs, payload, endedAt });
  }

  /** Ends an obsolete task. */
  obsolete(task: Task): Promise<void> {
    return this.write({ task, againAfterMs: null, endedAt: performance.now() });
  }

  /** Records a fault of a task. Resolves when it is written or dropped. */
  async fault(task: Task, message: string): Promise<void> {
    const fault = { task, message };
    try {
      await this.faults.add(task.orgId, fault);
    } catch (error) {
      if (this.isGivenUp(error)) return;
      // An error in `onDeadLetter` must not keep the task from being dead-lettered, so write the fault without it.
      await this.database
        .transaction(task.orgId, em => this.store.fault(em, task.orgId, [fault]))
        // The lease expires, and the task runs again.
        .catch((again: unknown) => this.logger.error(`A fault cannot be written: ${messageOf(again)}`));
    }
  }

  /** Gives up waiting outcomes. Their leases expire. */
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
      // An error of the handler is a fault of the task.
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

  /** Whether the outcome was given up while the database was away. Otherwise it can never be written. */
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
 * Splits a batch so that no part names a task twice. This process may end two attempts of one task at once, if it
 * claimed the task again after a lease had expired. The store returns ids of tasks, so one call may contain only one
 * attempt of each task.
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
