import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Clock } from '#core';
import { plainArray, SCHEMA, sqlOf, textArray } from '#database';
import { TaskQueue } from '#outbox';
import { CHANGE_QUEUE, removalOf, TICKET_QUEUE } from '../ticket-task.js';

// Only tasks that wait for the connector; a task that waits for its own due time keeps that time. Skips locked rows: the
// transaction that holds them decides when they are due.
const WAKE_WAITING = `
with waiting as (
  select id from ${SCHEMA}.tasks
  where org_id = $1 and queue = '${TICKET_QUEUE}' and key = $2::uuid::text and subject ->> 'waits' = 'connector'
    and lease_token is null and quarantined_at is null
  order by id for update skip locked)
update ${SCHEMA}.tasks t set due_at = ${SCHEMA}.now() from waiting where t.org_id = $1 and t.id = waiting.id`;

// Keeps tasks with a live lease. Their attempt is ended by the worker that holds the lease, or by its successor;
// otherwise a ticket that the attempt creates would be lost. All callers lock tasks in the order of their ids, to avoid
// deadlocks.
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

// Leaves out test tickets, because a test ends when it is rejected. A ticket that another request retries at the same time
// already has a task and is not changed.
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

/** Age up to which rejected tickets are retried automatically. Users retry older tickets one by one. */
const RETRIED_FOR_MS = 24 * 3_600_000;

/**
 * Manages the tasks that wait for a connector. Call it before writing the connector's row: workers lock tasks first, so
 * the other order can deadlock.
 */
@Injectable()
export class ConnectorWork {
  constructor(
    private readonly tasks: TaskQueue,
    private readonly clock: Clock,
  ) {}

  /** Holds the tasks for tickets and their changes while the connector is inactive, and releases them when it is active. */
  async follow(em: EntityManager, orgId: string, id: string, active: boolean): Promise<void> {
    for (const queue of [TICKET_QUEUE, CHANGE_QUEUE]) {
      if (active) await this.tasks.release(em, orgId, queue, id);
      else await this.tasks.hold(em, orgId, queue, id);
    }
  }

  /** Makes waiting tasks due now. Workers that have leased a task but not started it read the connector again. */
  async tryAgain(em: EntityManager, orgId: string, id: string): Promise<void> {
    this.tasks.recall(em, TICKET_QUEUE, id);
    this.tasks.recall(em, CHANGE_QUEUE, id);
    await this.wakeWaiting(em, orgId, id);
  }

  /** Makes the tasks due now that wait until the connector's problem is corrected. */
  async wakeWaiting(em: EntityManager, orgId: string, id: string): Promise<void> {
    await sqlOf(em).query(WAKE_WAITING, [orgId, id]);
    await this.tasks.wake(em, TICKET_QUEUE);
  }

  /**
   * Retries tickets that were rejected in the last 24 hours for a reason that a person can correct. Call it only after a
   * person has corrected something, never after another ticket was created. Otherwise a ticket that the platform rejects
   * for its own content would delay all others repeatedly.
   */
  async retryRejected(em: EntityManager, orgId: string, id: string): Promise<void> {
    const now = this.clock.now();
    const since = new Date(now.getTime() - RETRIED_FOR_MS);
    await sqlOf(em).query(RETRY_RECENT, [orgId, textArray(CORRECTABLE, code => code), now, id, since]);
    await this.tasks.wake(em, TICKET_QUEUE);
  }

  /** Retries the named tickets that were rejected for a reason that a person can correct. */
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
    // Tickets without a connector are no longer updated.
    await this.tasks.removeKey(em, orgId, CHANGE_QUEUE, id);
  }
}
