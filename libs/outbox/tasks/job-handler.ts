import type { EntityManager } from '@mikro-orm/postgresql';
import type { Outcome, Settled, Task, TaskName } from './task.js';

/**
 * Handles the tasks of one queue. The worker claims due tasks, loads their data in one transaction, performs each task
 * without a transaction, and writes the results in another transaction. A result is written together with the end of
 * its task, and only while the lease is still valid. After a crash, the lease expires and the attempt is repeated. An
 * external effect may therefore happen twice: send an id with which the other side can detect a repetition.
 */
export abstract class JobHandler<Work = unknown, Result = unknown> {
  /** Name of the queue. It is stored in the tasks. If two handlers have the same name, the boot is aborted. */
  abstract readonly name: string;

  /** Maximum number of tasks of this queue that one process performs at the same time. */
  readonly slots: number = 16;

  /** Maximum number of slots for the tasks of one key. */
  readonly slotsPerKey: number = 4;

  /**
   * Duration of a lease in milliseconds, at most 600,000. Afterwards another worker may claim the task. Make it much
   * longer than {@link performMs}.
   */
  readonly leaseMs: number = 20_000;

  /**
   * Maximum duration of `perform` in milliseconds, unless `renews` is set. Default: half of the lease. A task is not
   * started if its remaining lease is shorter.
   */
  get performMs(): number {
    return this.leaseMs / 2;
  }

  /** Whether the worker extends the lease while `perform` runs. For work without a time limit. */
  readonly renews: boolean = false;

  /**
   * Loads the data for tasks of one organization, by task id. If a task has no entry in the result, it is obsolete and
   * ends. Called once per batch, in a transaction of the organization. If it throws, the tasks are loaded one by one.
   */
  abstract load(em: EntityManager, orgId: string, tasks: readonly Task[]): Promise<Map<string, Work>>;

  /**
   * Performs the work of one task, outside any transaction. After a crash, the same attempt may run again. A thrown
   * error is a fault: the task is retried after 1, 5, 30 and 300 seconds, and then dead-lettered.
   */
  abstract perform(task: Task, work: Work): Promise<Outcome<Result>>;

  /**
   * Writes the results, in the transaction that ends the tasks or sets their next due time. Receives only tasks whose
   * lease is still valid. Must not throw because of data from other systems.
   */
  abstract settle(em: EntityManager, orgId: string, settled: readonly Settled<Result>[]): Promise<void>;

  /** Called when tasks are dead-lettered after their last retry, in the same transaction. */
  async onDeadLetter(_em: EntityManager, _orgId: string, _tasks: readonly Task[]): Promise<void> {}

  /** Called when dead-lettered tasks are requeued, in the same transaction, before the transaction locks the tasks. */
  async onRequeue(_em: EntityManager, _orgId: string, _tasks: readonly TaskName[]): Promise<void> {}
}
