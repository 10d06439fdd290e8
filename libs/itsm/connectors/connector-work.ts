import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Clock } from '#core';
import { plainArray, SCHEMA, sqlOf, textArray } from '#database';
import { TaskQueue } from '#outbox';
import { CHANGE_QUEUE, removalOf, TICKET_QUEUE } from '../ticket-task.js';

// Selects only tasks that wait for the connector. A task that waits until a time of its own keeps that time. Skips
// locked rows, because the transaction that has locked them decides when they are due.
const WAKE_WAITING = `
with waiting as (
  select id from ${SCHEMA}.tasks
  where org_id = $1 and queue = '${TICKET_QUEUE}' and key = $2::uuid::text and subject ->> 'waits' = 'connector'
    and lease_token is null and quarantined_at is null
  order by id for update skip locked)
update ${SCHEMA}.tasks t set due_at = ${SCHEMA}.now() from waiting where t.org_id = $1 and t.id = waiting.id`;

// Keeps tasks that are leased, because the worker with the lease, or its successor, must end the attempt. Otherwise, a
// ticket that the attempt creates would be lost. All callers lock tasks in the order of their ids, to avoid deadlocks.
const REMOVE_WAITING = `
with waiting as (
  select id from ${SCHEMA}.tasks
  where org_id = $1 and queue = '${TICKET_QUEUE}' and key = $2::uuid::text
    and (quarantined_at is not null or due_at <= ${SCHEMA}.now()
      or (lease_token is null and subject ->> 'waits' is distinct from 'test'))
  order by id for update)
delete from ${SCHEMA}.tasks t using waiting where t.org_id = $1 and t.id = waiting.id`;

const REJECT_REST = `
update ${SCHEMA}.tickets t
set sync_state = 'rejected', error_code = 'connector_removed', error = ${removalOf('t')}, error_fields = null,
  updated_at = $3
where t.org_id = $1 and t.connector_id = $2 and t.sync_state in ('pending', 'uncertain')
  and not exists (select from ${SCHEMA}.tasks k where k.org_id = t.org_id and k.id = t.id)`;

// Leaves out test tickets, because a test is over when its ticket is rejected. If another request retries a ticket at
// the same time, the ticket already has a task and is not changed.
const retryRejected = (which: string): string => `
with again as (
  insert into ${SCHEMA}.tasks (org_id, id, queue, key, due_at, attempt, subject)
  select org_id, id, '${TICKET_QUEUE}', connector_id::text, ${SCHEMA}.now(), 1, '{}' from ${SCHEMA}.tickets
  where org_id = $1 and sync_state = 'rejected' and origin <> 'test' and error_code = any ($2::text[]) and ${which}
  order by id on conflict (org_id, id) do nothing
  returning id)
update ${SCHEMA}.tickets t set sync_state = 'pending', updated_at = $3 from again
where t.org_id = $1 and t.id = again.id and t.sync_state = 'rejected'`;

const RETRY_RECENT = retryRejected('connector_id = $4 and updated_at > $5');
const RETRY_NAMED = retryRejected('id = any ($4::uuid[])');

/** Error codes whose cause a person can correct on the platform or in the connector. */
const CORRECTABLE = ['auth', 'forbidden', 'config', 'hibernating', 'field', 'unreachable'] as const;

/** Maximum age of rejected tickets that are retried automatically. Users retry older tickets one by one. */
const RETRIED_FOR_MS = 24 * 3_600_000;

/**
 * Manages the tasks that wait for a connector. Call its methods before you write the connector's row. Workers lock
 * tasks first, so the opposite order can deadlock.
 */
@Injectable()
export class ConnectorWork {
  constructor(
    private readonly tasks: TaskQueue,
    private readonly clock: Clock,
  ) {}

  /**
   * While the connector is inactive, puts the tasks for its tickets and their changes on hold. Releases them when the
   * connector is active.
   */
  async follow(em: EntityManager, orgId: string, id: string, active: boolean): Promise<void> {
    for (const queue of [TICKET_QUEUE, CHANGE_QUEUE]) {
      if (active) await this.tasks.release(em, orgId, queue, id);
      else await this.tasks.hold(em, orgId, queue, id);
    }
  }

  /**
   * Makes waiting tasks due at once. If a worker has leased a task but not started it, the worker reads the connector
   * again.
   */
  async tryAgain(em: EntityManager, orgId: string, id: string): Promise<void> {
    this.tasks.recall(em, TICKET_QUEUE, id);
    this.tasks.recall(em, CHANGE_QUEUE, id);
    await this.wakeWaiting(em, orgId, id);
  }

  /** Makes the tasks due at once that wait until the connector's problem is corrected. */
  async wakeWaiting(em: EntityManager, orgId: string, id: string): Promise<void> {
    await sqlOf(em).query(WAKE_WAITING, [orgId, id]);
    await this.tasks.wake(em, TICKET_QUEUE);
  }

  /**
   * Retries tickets that were rejected in the last 24 hours for a reason that a person can correct. Call this method
   * only after a person has corrected something, never because another ticket was created. Otherwise, a ticket that the
   * platform rejects for its content would delay all other tickets again and again.
   */
  async retryRejected(em: EntityManager, orgId: string, id: string): Promise<void> {
    const now = this.clock.now();
    const since = new Date(now.getTime() - RETRIED_FOR_MS);
    await sqlOf(em).query(RETRY_RECENT, [orgId, textArray(CORRECTABLE, code => code), now, id, since]);
    await this.tasks.wake(em, TICKET_QUEUE);
  }

  /** Of the named tickets, retries those that were rejected for a reason that a person can correct. */
  async retryNamed(em: EntityManager, orgId: string, ticketIds: readonly string[]): Promise<void> {
    const ids = plainArray(ticketIds, id => id);
    await sqlOf(em).query(RETRY_NAMED, [orgId, textArray(CORRECTABLE, code => code), this.clock.now(), ids]);
    await this.tasks.wake(em, TICKET_QUEUE);
  }

  /** Rejects waiting tickets. Attempts in progress are not interrupted. */
  async discard(em: EntityManager, orgId: string, id: string, now: Date): Promise<void> {
    await sqlOf(em).query(REMOVE_WAITING, [orgId, id]);
    await this.tasks.forgetKey(em, orgId, TICKET_QUEUE, id);
    await sqlOf(em).query(REJECT_REST, [orgId, id, now]);
    // A ticket without a connector gets no further updates.
    await this.tasks.removeKey(em, orgId, CHANGE_QUEUE, id);
  }
}
