import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Clock, newId } from '#core';
import { plainArray, prepared, SCHEMA, sqlOf, textArray } from '#database';
import { TaskQueue } from '#outbox';
import { ticketTask } from '../ticket-task.js';
import type { StoredDraft, TicketOrigin } from './ticket.entity.js';

/** A ticket to open. */
export interface NewTicket {
  readonly incidentId: string | null;
  readonly connectorId: string;
  readonly kind: string;
  readonly origin: TicketOrigin;
  readonly eventId: string | null;
  readonly draft: StoredDraft;
  /** Key of incidents with the same type, policy, user and model; null for a ticket without an incident. */
  readonly matter: string | null;
}

/** A ticket with a row in the ledger. */
export interface ReservedTicket {
  readonly id: string;
  readonly incidentId: string | null;
  readonly connectorId: string;
}

// If two transactions insert the same ticket, the second one inserts nothing. The text of a ticket describes one
// occurrence.
const RESERVE = prepared(
  'reserve_tickets',
  `
insert into ${SCHEMA}.tickets
  (org_id, id, incident_id, connector_id, kind, origin, event_id, draft, matter, follows, told, sync_state, created_at,
   updated_at)
select $1, t.id, t.incident_id, t.connector_id, t.kind, t.origin, t.event_id, t.draft, t.matter,
  (select p.id from ${SCHEMA}.tickets p
   where p.org_id = $1 and p.connector_id = t.connector_id and p.matter = t.matter and p.sync_state = 'created'
   order by p.id desc limit 1),
  (select jsonb_build_object('occurrences', 1, 'severity', t.draft ->> 'severity',
     'resolved', i.status = 'resolved', 'at', $10::text, 'commented', false)
   from ${SCHEMA}.incidents i where i.org_id = $1 and i.id = t.incident_id),
  'pending', $9, $9
from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::uuid[], $8::jsonb[], $11::text[])
  as t (id, incident_id, connector_id, kind, origin, event_id, draft, matter)
on conflict (org_id, incident_id, connector_id) do nothing
returning id, incident_id as "incidentId", connector_id as "connectorId"`,
);

/** Inserts tickets into the ledger. This happens before any request is sent to a platform. */
@Injectable()
export class TicketReservations {
  constructor(
    private readonly tasks: TaskQueue,
    private readonly clock: Clock,
  ) {}

  /**
   * Reserves tickets in the caller's transaction. Existing tickets stay unchanged and are not returned. An incident
   * gets at most one ticket per connector, even if two callers reserve it at the same time.
   */
  async reserve(em: EntityManager, orgId: string, tickets: readonly NewTicket[]): Promise<ReservedTicket[]> {
    if (tickets.length === 0) return [];
    const now = this.clock.now();
    return sqlOf(em).query<ReservedTicket>(RESERVE, [
      orgId,
      plainArray(tickets, () => newId(now)),
      plainArray(tickets, ticket => ticket.incidentId),
      plainArray(tickets, ticket => ticket.connectorId),
      textArray(tickets, ticket => ticket.kind),
      textArray(tickets, ticket => ticket.origin),
      plainArray(tickets, ticket => ticket.eventId),
      textArray(tickets, ticket => JSON.stringify(ticket.draft)),
      now,
      now.toISOString(),
      textArray(tickets, ticket => ticket.matter),
    ]);
  }

  /** Reserves tickets. Workers open the tickets after the transaction has committed. */
  async order(em: EntityManager, orgId: string, tickets: readonly NewTicket[]): Promise<ReservedTicket[]> {
    const reserved = await this.reserve(em, orgId, tickets);
    await this.tasks.add(em, orgId, reserved.map(ticketTask));
    return reserved;
  }
}
