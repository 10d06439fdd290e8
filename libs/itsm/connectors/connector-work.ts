import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { SCHEMA, sqlOf } from '#database';
import { TaskQueue } from '#outbox';
import { removalOf, TICKET_LANE } from '../ticket-task.js';

// Those that wait for the connector alone: what waits for its own time goes on waiting. Rows that somebody else has just
// now in hand are left to wait; they come by themselves.
const WAKE_WAITING = `
with waiting as (
  select id from ${SCHEMA}.tasks
  where org_id = $1 and lane = '${TICKET_LANE}' and key = $2::uuid::text and subject ->> 'waits' = 'connector'
    and lease_token is null and quarantined_at is null
  order by id for update skip locked)
update ${SCHEMA}.tasks t set due_at = ${SCHEMA}.now() from waiting where t.org_id = $1 and t.id = waiting.id`;

// Attempts under way are ended by whoever makes them, or by whoever takes them over: what they create must not be lost.
// Locked in one order, as everybody who takes several does.
const REMOVE_WAITING = `
with waiting as (
  select id from ${SCHEMA}.tasks
  where org_id = $1 and lane = '${TICKET_LANE}' and key = $2::uuid::text
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

/** What waits for a connector. Called before the connector's own row is written: workers lock tasks first, too. */
@Injectable()
export class ConnectorWork {
  constructor(private readonly tasks: TaskQueue) {}

  /** Lets tickets wait while the connector is switched off, and go on when it is not. */
  async follow(em: EntityManager, orgId: string, id: string, active: boolean): Promise<void> {
    if (active) await this.tasks.release(em, orgId, TICKET_LANE, id);
    else await this.tasks.hold(em, orgId, TICKET_LANE, id);
  }

  /** Has what waits for the connector to be mended tried at once, and what has not begun read the connector anew. */
  async tryAgain(em: EntityManager, orgId: string, id: string): Promise<void> {
    this.tasks.recall(em, TICKET_LANE, id);
    await this.wakeWaiting(em, orgId, id);
  }

  /** Has what waits for the connector to be mended tried at once. */
  async wakeWaiting(em: EntityManager, orgId: string, id: string): Promise<void> {
    await sqlOf(em).query(WAKE_WAITING, [orgId, id]);
    await this.tasks.wake(em, TICKET_LANE);
  }

  /** Ends what waits: those tickets are rejected. What is under way ends by itself. */
  async discard(em: EntityManager, orgId: string, id: string, now: Date): Promise<void> {
    await sqlOf(em).query(REMOVE_WAITING, [orgId, id]);
    await this.tasks.forgetKey(em, orgId, TICKET_LANE, id);
    await sqlOf(em).query(REJECT_REST, [orgId, id, now]);
  }
}
