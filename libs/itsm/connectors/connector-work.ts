import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Clock } from '#core';
import { plainArray, SCHEMA, sqlOf, textArray } from '#database';
import { TaskQueue } from '#outbox';
import { CHANGE_QUEUE, removalOf, TICKET_QUEUE } from '../ticket-task.js';

// Those that wait for the connector alone: what waits for its own time goes on waiting. Rows that somebody else has just
// now in hand are left to wait; they come by themselves.
const WAKE_WAITING = `
with waiting as (
  select id from ${SCHEMA}.tasks
  where org_id = $1 and queue = '${TICKET_QUEUE}' and key = $2::uuid::text and subject ->> 'waits' = 'connector'
    and lease_token is null and quarantined_at is null
  order by id for update skip locked)
update ${SCHEMA}.tasks t set due_at = ${SCHEMA}.now() from waiting where t.org_id = $1 and t.id = waiting.id`;

// Attempts under way are ended by whoever makes them, or by whoever takes them over: what they create must not be lost.
// Locked in one order, as everybody who takes several does.
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

// Tests were over when they were refused. One that somebody retries at the same time has a task, and stays as it is.
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

/** Reasons that a person mends at the platform or in the connector. */
const MENDABLE = ['auth', 'forbidden', 'config', 'hibernating', 'field', 'unreachable'] as const;

/** What was refused longer ago is left to people, ticket by ticket. */
const RETRIED_FOR_MS = 24 * 3_600_000;

/** What waits for a connector. Called before the connector's own row is written: workers lock tasks first, too. */
@Injectable()
export class ConnectorWork {
  constructor(
    private readonly tasks: TaskQueue,
    private readonly clock: Clock,
  ) {}

  /** Lets tickets and their changes wait while the connector is switched off, and go on when it is not. */
  async follow(em: EntityManager, orgId: string, id: string, active: boolean): Promise<void> {
    for (const queue of [TICKET_QUEUE, CHANGE_QUEUE]) {
      if (active) await this.tasks.release(em, orgId, queue, id);
      else await this.tasks.hold(em, orgId, queue, id);
    }
  }

  /** Has what waits for the connector to be mended tried at once, and what has not begun read the connector anew. */
  async tryAgain(em: EntityManager, orgId: string, id: string): Promise<void> {
    this.tasks.recall(em, TICKET_QUEUE, id);
    this.tasks.recall(em, CHANGE_QUEUE, id);
    await this.wakeWaiting(em, orgId, id);
  }

  /** Has what waits for the connector to be mended tried at once. */
  async wakeWaiting(em: EntityManager, orgId: string, id: string): Promise<void> {
    await sqlOf(em).query(WAKE_WAITING, [orgId, id]);
    await this.tasks.wake(em, TICKET_QUEUE);
  }

  /**
   * Has tickets tried again that were rejected in the last 24 hours for what a person can mend. To be called when a person
   * has mended something, and never because another ticket was created: a ticket that the platform refuses for its own
   * sake would keep all others waiting again and again.
   */
  async retryRejected(em: EntityManager, orgId: string, id: string): Promise<void> {
    const now = this.clock.now();
    const since = new Date(now.getTime() - RETRIED_FOR_MS);
    await sqlOf(em).query(RETRY_RECENT, [orgId, textArray(MENDABLE, code => code), now, id, since]);
    await this.tasks.wake(em, TICKET_QUEUE);
  }

  /** Retries those of the tickets that were rejected for a reason that a person can correct. */
  async retryNamed(em: EntityManager, orgId: string, ticketIds: readonly string[]): Promise<void> {
    const ids = plainArray(ticketIds, id => id);
    await sqlOf(em).query(RETRY_NAMED, [orgId, textArray(MENDABLE, code => code), this.clock.now(), ids]);
    await this.tasks.wake(em, TICKET_QUEUE);
  }

  /** Rejects tickets that wait. Attempts that are under way end by themselves. */
  async discard(em: EntityManager, orgId: string, id: string, now: Date): Promise<void> {
    await sqlOf(em).query(REMOVE_WAITING, [orgId, id]);
    await this.tasks.forgetKey(em, orgId, TICKET_QUEUE, id);
    await sqlOf(em).query(REJECT_REST, [orgId, id, now]);
    // Tickets without a connector are not updated any more.
    await this.tasks.removeKey(em, orgId, CHANGE_QUEUE, id);
  }
}
