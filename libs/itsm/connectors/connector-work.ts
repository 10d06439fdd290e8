import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { SCHEMA, sqlOf } from '#database';
import { TaskQueue } from '#outbox';
import { TICKET_LANE } from '../ticket-task.js';

// Those that wait for the connector alone: what waits for its own time goes on waiting. Rows that somebody else has just
// now in hand are left to wait; they come by themselves.
const WAKE_WAITING = `
with waiting as (
  select id from ${SCHEMA}.tasks
  where org_id = $1 and lane = '${TICKET_LANE}' and key = $2::uuid::text and subject ->> 'waits' = 'connector'
    and lease_token is null and quarantined_at is null
  order by id for update skip locked)
update ${SCHEMA}.tasks t set due_at = ${SCHEMA}.now() from waiting where t.org_id = $1 and t.id = waiting.id`;

const REJECT_REST = `
update ${SCHEMA}.tickets
set sync_state = 'rejected', error_code = 'connector_removed',
  error = 'The connector was removed before the ticket was created.', error_fields = null, updated_at = $3
where org_id = $1 and connector_id = $2 and sync_state in ('pending', 'uncertain')`;

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

  /** Ends what waits: those tickets are rejected. */
  async discard(em: EntityManager, orgId: string, id: string, now: Date): Promise<void> {
    await this.tasks.removeKey(em, orgId, TICKET_LANE, id);
    await sqlOf(em).query(REJECT_REST, [orgId, id, now]);
  }
}
