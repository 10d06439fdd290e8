import type { EntityManager } from '@mikro-orm/postgresql';
import type { Outcome, Settled, Task, TaskName } from './task.js';

/**
 * One kind of background work. The worker claims tasks in the order in which they are due, has them loaded in a
 * transaction, performs each without one, and settles them in another: what came out is written together with the end
 * of the task, and only where the lease still holds. A crash between lets the lease run out, and the attempt is made
 * again; so whatever happens outside may happen twice, and must carry an id by which the outside can tell.
 */
export abstract class Lane<Job = unknown, Result = unknown> {
  /** Stands in the rows; two lanes with one name are refused at boot. */
  abstract readonly name: string;

  /** How many tasks of this lane one process performs at the same time. */
  readonly slots: number = 16;

  /** How many of them for one key. */
  readonly slotsPerKey: number = 4;

  /** Milliseconds until another worker may take a task over, at most 600,000; a good deal more than {@link performMs}. */
  readonly leaseMs: number = 20_000;

  /**
   * Milliseconds that `perform` takes at most, unless `renews`; half of a lease where nothing else is said. A task is not
   * begun where less of its lease is left.
   */
  get performMs(): number {
    return this.leaseMs / 2;
  }

  /** Whether leases are prolonged while `perform` is at work, for work without a time limit of its own. */
  readonly renews: boolean = false;

  /**
   * What the tasks of one organization need to be performed, by task id; a task that is missing is obsolete and ends.
   * Called once per batch, in a transaction of the organization. A fault lets the batch be loaded one by one.
   */
  abstract load(em: EntityManager, orgId: string, tasks: readonly Task[]): Promise<Map<string, Job>>;

  /**
   * Does the work of one task. No transaction is open. May be called again for the same attempt after a crash. What it
   * throws is a fault: the task is tried again after 1, 5, 30 and 300 seconds, then put aside.
   */
  abstract perform(task: Task, job: Job): Promise<Outcome<Result>>;

  /**
   * Writes what came out. Called in the transaction that ends the tasks or sets their next time, with those tasks
   * alone whose lease still held. Must not throw for what an outside sent.
   */
  abstract settle(em: EntityManager, orgId: string, settled: readonly Settled<Result>[]): Promise<void>;

  /** Told of a task that is put aside after its last fault, in the transaction that does so. */
  async putAside(_em: EntityManager, _orgId: string, _tasks: readonly Task[]): Promise<void> {}

  /**
   * Told of tasks that were put aside and are to be tried again, in the transaction that does so, before it has locked
   * any of them.
   */
  async takeBack(_em: EntityManager, _orgId: string, _tasks: readonly TaskName[]): Promise<void> {}
}
