import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { OrgDatabase, plainArray, prepared, SCHEMA, sqlOf, textArray } from '#database';
import type { NewTask } from './task.js';
import { Wakeup } from './wakeup.js';

const ADD = prepared(
  'add_tasks',
  `
insert into ${SCHEMA}.tasks (org_id, id, queue, key, due_at, attempt, subject)
select $1, t.id, t.queue, t.key, ${SCHEMA}.now(), t.attempt, t.subject
from unnest($2::uuid[], $3::text[], $4::text[], $5::integer[], $6::jsonb[]) as t (id, queue, key, attempt, subject)
on conflict (org_id, id) do update
set due_at = excluded.due_at, attempt = excluded.attempt, subject = excluded.subject, lease_token = null,
    interruptions = 0, interrupted_at = null, faults = 0, fault = null, quarantined_at = null
where tasks.quarantined_at is not null`,
);

const SCHEDULE = `
insert into ${SCHEMA}.tasks as t (org_id, id, queue, key, due_at, attempt, subject)
values ($1, $2, $3, $4, ${SCHEMA}.now() + $5 * interval '1 millisecond', $6, $7::jsonb)
on conflict (org_id, id) do update
set queue = excluded.queue, key = excluded.key, due_at = excluded.due_at, attempt = excluded.attempt,
    subject = excluded.subject, lease_token = null, interruptions = 0, interrupted_at = null, faults = 0, fault = null,
    quarantined_at = null`;

const HOLD = `
insert into ${SCHEMA}.task_holds (org_id, queue, key) values ($1, $2, $3) on conflict do nothing`;

const RELEASE = `delete from ${SCHEMA}.task_holds where org_id = $1 and queue = $2 and key = $3`;

// Locked in one order, as everybody who takes several tasks does.
const REMOVE = `
with gone as (select id from ${SCHEMA}.tasks where org_id = $1 and queue = $2 and key = $3 order by id for update)
delete from ${SCHEMA}.tasks t using gone where t.org_id = $1 and t.id = gone.id`;

/** Background work that commits with the business change that asks for it: all of it, or none. */
@Injectable()
export class TaskQueue {
  constructor(
    private readonly database: OrgDatabase,
    private readonly wakeup: Wakeup,
  ) {}

  /**
   * Adds tasks that are due at once; one that was dead-lettered begins anew, one that waits already stays as it is. Workers
   * are woken when the transaction has committed.
   * @throws Error outside a transaction
   */
  async add(em: EntityManager, orgId: string, tasks: readonly NewTask[]): Promise<void> {
    assertTransaction(em);
    if (tasks.length === 0) return;
    await sqlOf(em).query(ADD, [
      orgId,
      plainArray(tasks, task => task.id),
      textArray(tasks, task => task.queue),
      textArray(tasks, task => task.key),
      plainArray(tasks, task => task.attempt ?? 1),
      textArray(tasks, task => JSON.stringify(task.subject)),
    ]);
    for (const queue of new Set(tasks.map(task => task.queue))) await this.wake(em, queue);
  }

  /**
   * Adds a task that is due so many milliseconds from now. One with its id, waiting or under way, is replaced by it: what
   * comes out of the attempt under way is dropped.
   * @throws Error outside a transaction
   */
  async schedule(em: EntityManager, orgId: string, task: NewTask, afterMs: number): Promise<void> {
    assertTransaction(em);
    const { id, queue, key, attempt = 1, subject } = task;
    await sqlOf(em).query(SCHEDULE, [orgId, id, queue, key, Math.max(0, afterMs), attempt, JSON.stringify(subject)]);
    await this.wake(em, queue);
  }

  /** Has workers look at a queue once the transaction has committed. For whoever adds tasks with SQL of their own. */
  async wake(em: EntityManager, queue: string): Promise<void> {
    const isOurs = this.database.afterCommit(em, () => this.wakeup.wake(queue));
    // The commit of a host's own transaction is not heard of here; PostgreSQL tells it itself.
    if (!isOurs) await this.wakeup.wakeAtCommit(sqlOf(em), queue);
  }

  /**
   * Keeps the tasks of a key, present and future, from being begun. Those under way are finished. A hold is looked up by
   * queue and key alone: hold only keys that no other organization has, such as ids.
   */
  async hold(em: EntityManager, orgId: string, queue: string, key: string): Promise<void> {
    await sqlOf(em).query(HOLD, [orgId, queue, key]);
    this.recall(em, queue, key);
  }

  /**
   * Has workers return the tasks of a key that they have claimed but not begun, once the transaction has committed. For
   * a change that must hold for every task that begins after it. Workers claim some hundredths of a second ahead.
   */
  recall(em: EntityManager, queue: string, key: string): void {
    this.database.afterCommit(em, () => this.wakeup.recall(queue, key));
  }

  /** Ends a hold: what is due is begun at once, what was due first comes first. */
  async release(em: EntityManager, orgId: string, queue: string, key: string): Promise<void> {
    await sqlOf(em).query(RELEASE, [orgId, queue, key]);
    await this.wake(em, queue);
  }

  /** Removes all tasks of a key and its hold. An attempt under way is not taken back, but its outcome is dropped. */
  async removeKey(em: EntityManager, orgId: string, queue: string, key: string): Promise<void> {
    await sqlOf(em).query(REMOVE, [orgId, queue, key]);
    await this.forgetKey(em, orgId, queue, key);
  }

  /**
   * What is left to do about a key whose tasks were removed with SQL of the caller's own: ends its hold, and has workers
   * give back what they have claimed of it. A task that commits later is carried out as any other, so its queue must find
   * it to be obsolete.
   */
  async forgetKey(em: EntityManager, orgId: string, queue: string, key: string): Promise<void> {
    await sqlOf(em).query(RELEASE, [orgId, queue, key]);
    this.recall(em, queue, key);
  }
}

/** What is not in a transaction would not commit with anything. */
export function assertTransaction(em: EntityManager): void {
  if (em.isInTransaction()) return;
  throw new Error(
    'Events and tasks commit with the change that they follow from: pass the EntityManager of a transaction.',
  );
}
