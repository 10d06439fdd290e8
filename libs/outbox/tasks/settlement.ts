import { Logger } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { messageOf, within } from '#core';
import { GroupCommit, isOutage, type OrgDatabase, type StuckGroup } from '#database';
import type { JobHandler } from './job-handler.js';
import type { TaskEnd, TaskFault, TaskStore } from './task-store.js';
import type { Outcome, Task } from './task.js';

interface Ended extends TaskEnd {
  /** Missing where the task was found to be obsolete. */
  readonly outcome?: Outcome<unknown>;
}

type Write<Item> = (em: EntityManager, orgId: string, items: readonly Item[]) => Promise<void>;

/** Tasks of one organization that are ended in one transaction. */
const BATCH = 200;
const RETRY_FIRST_MS = 50;
const RETRY_MAX_MS = 1_000;
/** How long claims wait for a write that is tried again. */
const RETRY_PATIENCE_MS = 1_000;

/**
 * Writes the outcomes of tasks in groups. While the database is away outcomes wait here, and are written before anything
 * more is claimed; a task that another process has taken over meanwhile makes the outcome void.
 */
export class Settlement {
  private readonly logger = new Logger('Governance');
  // Two groups, so that each transaction locks its tasks once, and in one order.
  private readonly ends: GroupCommit<Ended, void>;
  private readonly faults: GroupCommit<TaskFault, void>;
  /** Groups that were waited for in vain while the database answered others: they hold nobody up any more. */
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
   * Tries now to write what waits for the database, a second at most. To be called before tasks are claimed: a lease that
   * ran out while the database was away holds until somebody claims the task, this process included. A write that is
   * late while the database answers others, such as one that waits for a lock, is not waited for again.
   */
  async retryNow(): Promise<void> {
    const stuck = [...this.ends.stuck, ...this.faults.stuck];
    const alone = new Set(stuck.filter(group => this.alone.has(group)));
    this.alone = alone;
    const waitedFor = stuck.filter(group => !alone.has(group));
    await Promise.all(waitedFor.map(group => within(RETRY_PATIENCE_MS, group.retry()).catch(() => alone.add(group))));
  }

  /** The database answers nobody: all that waits is to be written first when it is back. */
  noteOutage(): void {
    this.alone = new Set();
  }

  /** Resolves when the outcome is written, or is void. */
  end(task: Task, outcome: Outcome<unknown>, endedAt: number): Promise<void> {
    const { againAfterMs, subject } = outcome;
    return this.write({ task, outcome, againAfterMs, subject, endedAt });
  }

  /** Ends a task that nobody needs any more. */
  obsolete(task: Task): Promise<void> {
    return this.write({ task, againAfterMs: null, endedAt: performance.now() });
  }

  /** Notes that the queue failed on a task. Resolves when that is written, or is void. */
  async fault(task: Task, message: string): Promise<void> {
    const fault = { task, message };
    try {
      await this.faults.add(task.orgId, fault);
    } catch (error) {
      if (this.isGivenUp(error)) return;
      // A queue that fails on being told that a task is dead-lettered must not keep it from being dead-lettered.
      await this.database
        .transaction(task.orgId, em => this.store.fault(em, task.orgId, [fault]))
        // Its lease runs out, and it comes again.
        .catch((again: unknown) => this.logger.error(`A fault cannot be written: ${messageOf(again)}`));
    }
  }

  /** Gives up what waits; its leases run out. */
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
      // Whatever the handler throws on a task is a fault of that task.
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
    const held = await this.store.end(em, orgId, ended);
    const settled = ended.flatMap(({ task, outcome }) =>
      outcome && held.has(task.id) ? [{ task, result: outcome.result }] : [],
    );
    if (settled.length > 0) await this.job.settle(em, orgId, settled);
  }

  private async writeFaults(em: EntityManager, orgId: string, faults: readonly TaskFault[]): Promise<void> {
    const dead = await this.store.fault(em, orgId, faults);
    const tasks = faults.map(({ task }) => task).filter(task => dead.has(task.id));
    if (tasks.length > 0) await this.job.onDeadLetter(em, orgId, tasks);
  }
}
