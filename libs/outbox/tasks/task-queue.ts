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

// Locks tasks in the order of their ids, to avoid deadlocks. Every statement that locks several tasks uses this order.
const REMOVE = `
with gone as (select id from ${SCHEMA}.tasks where org_id = $1 and queue = $2 and key = $3 order by id for update)
delete from ${SCHEMA}.tasks t using gone where t.org_id = $1 and t.id = gone.id`;

/** Adds background tasks in the transaction of the change that needs them. */
@Injectable()
export class TaskQueue {
  constructor(
    private readonly database: OrgDatabase,
    private readonly wakeup: Wakeup,
  ) {}

  /**
   * Adds tasks that are due at once. If a task with the same id exists, it is left unchanged while it waits; a
   * dead-lettered one starts again. Workers are woken after the commit.
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
      textArray(tasks, task => JSON.stringify(task.payload)),
    ]);
    for (const queue of new Set(tasks.map(task => task.queue))) await this.wake(em, queue);
  }

  /**
   * Adds a task that is due after a delay in milliseconds. It replaces a task with the same id. If an attempt of that
   * task is running, its outcome is discarded.
   * @throws Error outside a transaction
   */
  async schedule(em: EntityManager, orgId: string, task: NewTask, afterMs: number): Promise<void> {
    assertTransaction(em);
    const { id, queue, key, attempt = 1, payload } = task;
    await sqlOf(em).query(SCHEDULE, [orgId, id, queue, key, Math.max(0, afterMs), attempt, JSON.stringify(payload)]);
    await this.wake(em, queue);
  }

  /** Wakes the workers of a queue after the commit. For callers that add tasks with their own SQL. */
  async wake(em: EntityManager, queue: string): Promise<void> {
    const isOurs = this.database.afterCommit(em, () => this.wakeup.wake(queue));
    // This process does not see the commit of a host's transaction. PostgreSQL sends the notification at the commit
    // instead.
    if (!isOurs) await this.wakeup.wakeAtCommit(sqlOf(em), queue);
  }

  /**
   * Pauses the current and future tasks of a key (a hold). Running attempts continue. A hold is found by queue and key,
   * without the organization. Use it only for globally unique keys, such as ids.
   */
  async hold(em: EntityManager, orgId: string, queue: string, key: string): Promise<void> {
    await sqlOf(em).query(HOLD, [orgId, queue, key]);
    this.recall(em, queue, key);
  }

  /**
   * After the commit, workers return the tasks of a key that they have claimed but not started. Use it if every later
   * attempt must see the change, because workers claim tasks some hundredths of a second before they start.
   */
  recall(em: EntityManager, queue: string, key: string): void {
    this.database.afterCommit(em, () => this.wakeup.recall(queue, key));
  }

  /** Ends a hold. Due tasks start at once, in the order of their due times. */
  async release(em: EntityManager, orgId: string, queue: string, key: string): Promise<void> {
    await sqlOf(em).query(RELEASE, [orgId, queue, key]);
    await this.wake(em, queue);
  }

  /** Deletes all tasks of a key, and its hold. A running attempt continues, but its outcome is discarded. */
  async removeKey(em: EntityManager, orgId: string, queue: string, key: string): Promise<void> {
    await sqlOf(em).query(REMOVE, [orgId, queue, key]);
    await this.forgetKey(em, orgId, queue, key);
  }

  /**
   * Cleans up after the caller has deleted the tasks of a key with its own SQL: ends the hold, and recalls claimed
   * tasks. A task that another transaction commits later still runs, so its job handler must detect that it is
   * obsolete.
   */
  async forgetKey(em: EntityManager, orgId: string, queue: string, key: string): Promise<void> {
    await sqlOf(em).query(RELEASE, [orgId, queue, key]);
    this.recall(em, queue, key);
  }
}

/** @throws Error outside a transaction */
export function assertTransaction(em: EntityManager): void {
  if (em.isInTransaction()) return;
  throw new Error(
    'Events and tasks commit with the change that they follow from: pass the EntityManager of a transaction.',
  );
}
