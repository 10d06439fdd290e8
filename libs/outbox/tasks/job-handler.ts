import type { EntityManager } from '@mikro-orm/postgresql';
import type { Outcome, Settled, Task, TaskName } from './task.js';

/**
 * Handles the tasks of one queue. The worker claims due tasks, loads what they need in one transaction, performs each
 * without a transaction, and settles them in another. The result is written together with the end of the task, and only
 * while the lease still holds. After a crash the lease expires and the attempt is repeated. An external effect may
 * therefore happen twice: send an id by which the other side can recognize a repeat.
 */
export abstract class JobHandler<Work = unknown, Result = unknown> {
  /** Name of the queue, as stored in the rows. Two handlers with one name are refused at boot. */
  abstract readonly name: string;

  /** Tasks of this queue that one process performs at the same time. */
  readonly slots: number = 16;

  /** Slots that the tasks of one key may use. */
  readonly slotsPerKey: number = 4;

  /** Milliseconds until another worker may claim the task, at most 600,000. Keep it well above {@link performMs}. */
  readonly leaseMs: number = 20_000;

  /**
   * Longest time in milliseconds that `perform` takes, unless `renews` is set. Default: half the lease. A task does not
   * start when less of its lease is left.
   */
  get performMs(): number {
    return this.leaseMs / 2;
  }

  /** Whether the worker extends the lease while `perform` runs. For work without a time limit. */
  readonly renews: boolean = false;

  /**
   * Loads what the tasks of one organization need, by task id. A task without an entry is obsolete and ends. Called once
   * per batch, in a transaction of the organization. If it throws, the tasks are loaded one by one.
   */
  abstract load(em: EntityManager, orgId: string, tasks: readonly Task[]): Promise<Map<string, Work>>;

  /**
   * Does the work of one task, outside any transaction. May run again for the same attempt after a crash. An error that
   * it throws is a fault: the task is retried after 1, 5, 30 and 300 seconds, then dead-lettered.
   */
  abstract perform(task: Task, work: Work): Promise<Outcome<Result>>;

  /**
   * Writes the results, in the transaction that ends the tasks or sets their next time. Receives only tasks whose lease
   * still held. Must not throw because of data that came from outside.
   */
  abstract settle(em: EntityManager, orgId: string, settled: readonly Settled<Result>[]): Promise<void>;

  /** Called when tasks are dead-lettered after their last fault, in the same transaction. */
  async onDeadLetter(_em: EntityManager, _orgId: string, _tasks: readonly Task[]): Promise<void> {}

  /** Called when dead-lettered tasks are retried, in the same transaction, before it locks any of them. */
  async onRequeue(_em: EntityManager, _orgId: string, _tasks: readonly TaskName[]): Promise<void> {}
}
