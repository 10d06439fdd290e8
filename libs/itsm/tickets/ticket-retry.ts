import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { AuditLog, type Actor } from '#access';
import { Clock, ConflictError, type JsonObject } from '#core';
import { OrgDatabase, SCHEMA, sqlOf } from '#database';
import { TaskQueue } from '#outbox';
import { AdapterRegistry } from '../connectors/adapter-registry.js';
import { Connector } from '../connectors/connector.entity.js';
import { payloadOf } from '../decide/progress.js';
import { TICKET_QUEUE, ticketTask } from '../ticket-task.js';
import { Ticket } from './ticket.entity.js';
import { TicketNotFoundError } from './ticket.errors.js';
import { oneTicket, type ShownTicket } from './ticket-rows.js';

/** The ticket already exists, is being created, or has no connector. */
export class TicketNotRetriableError extends ConflictError {
  constructor(why: keyof typeof REASONS) {
    super(REASONS[why]);
  }
}

const REASONS = {
  created: 'The ticket was created; there is nothing to retry.',
  'under way': 'An attempt is running; check the ticket again in a few seconds.',
  'connector removed': 'The connector of the ticket was removed; open another ticket with an existing connector.',
} as const;

// Locks the task first, like workers do. A connector test protects the task of its ticket by a due time far in the
// future.
const LOCK_TASK = `
select t.due_at > ${SCHEMA}.now() and t.quarantined_at is null
    and (t.lease_token is not null or t.subject ->> 'waits' = 'test') as is_leased
from ${SCHEMA}.tasks t where t.org_id = $1 and t.id = $2 for update`;

/** Retries tickets that could not be created. */
@Injectable()
export class TicketRetry {
  constructor(
    private readonly database: OrgDatabase,
    private readonly tasks: TaskQueue,
    private readonly adapters: AdapterRegistry,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /**
   * Makes one more attempt to create the ticket: at once, or when the connector is activated. If the ticket may exist,
   * the platform is searched first. If the adapter cannot search, the user who retries confirms that the ticket does
   * not exist.
   * @throws TicketNotFoundError
   * @throws TicketNotRetriableError
   */
  async retry(actor: Actor, id: string): Promise<ShownTicket> {
    const { orgId } = actor;
    return this.database.transaction(orgId, async em => {
      const [task] = await sqlOf(em).query<{ is_leased: boolean }>(LOCK_TASK, [orgId, id]);
      const ticket = await em.findOne(Ticket, { orgId, id });
      if (!ticket) throw new TicketNotFoundError(id);
      if (ticket.syncState === 'created') throw new TicketNotRetriableError('created');
      if (task?.is_leased && ticket.syncState !== 'rejected') throw new TicketNotRetriableError('under way');
      const { syncState, connectorId } = ticket;
      if (!(await em.findOne(Connector, { orgId, id: connectorId }))) {
        throw new TicketNotRetriableError('connector removed');
      }
      await this.begin(em, ticket);
      await this.audit.append(em, actor, {
        action: 'ticket.retried',
        resourceType: 'ticket',
        resourceId: id,
        before: { sync_state: syncState },
        after: { sync_state: ticket.syncState, connector_id: connectorId },
      });
      await em.flush();
      return oneTicket(em, orgId, id);
    });
  }

  private async begin(em: EntityManager, ticket: Ticket): Promise<void> {
    const task = { ...ticketTask(ticket), queue: TICKET_QUEUE, payload: this.payloadFor(ticket) };
    await this.tasks.schedule(em, ticket.orgId, task, 0);
    if (ticket.syncState === 'rejected') ticket.syncState = 'pending';
    ticket.updatedAt = this.clock.now();
  }

  /**
   * Begins with a search if a create request was sent before and the adapter can search, otherwise with a create
   * request. If the ticket may exist although the first search does not find it, the scheduled searches follow.
   */
  private payloadFor({ kind, attempts, unanswered }: Ticket): JsonObject {
    const canFind = this.adapters.named(kind)?.capabilities.findByKey !== 'none';
    const phase = attempts > 0 && canFind ? 'find' : 'create';
    const lookedFor = canFind ? 0 : unanswered;
    return payloadOf({ phase, tries: 0, searches: -1, lookedFor, since: null, byHand: true });
  }
}
