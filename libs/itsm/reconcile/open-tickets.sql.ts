import type { EntityManager } from '@mikro-orm/postgresql';
import { plainArray, SCHEMA, sqlOf, textArray } from '#database';
import { HIDDEN } from './hidden-tickets.js';
import type { AskedTicket, TicketAnswer } from './asked-tickets.js';

/** Number of tickets in one batch of polls. */
export const OPEN_TICKETS = 20;

// `xmin` changes with each update of the row. Resolved, closed and hidden tickets are polled until they have not
// changed for a month. People may reopen such a ticket, and the platform's report may be lost.
const OPEN = `
select id, external_ticket_id as "externalTicketId", platform_id as "platformId", url, status, notes,
  xmin::text as version
from ${SCHEMA}.tickets
where org_id = $1 and connector_id = $2 and ($3::uuid is null or id > $3) and sync_state = 'created'
  and external_ticket_id is not null
  and ((status not in ('resolved', 'closed') and not coalesce(starts_with(notes, $4), false))
    or updated_at > ${SCHEMA}.now() - interval '30 days')
order by id limit ${OPEN_TICKETS}`;

const UNCHANGED = `
select t.id from ${SCHEMA}.tickets t join unnest($2::uuid[], $3::text[]) as a (id, version)
  on t.id = a.id and t.xmin::text = a.version
where t.org_id = $1 order by t.id for update of t`;

/** The next tickets of a connector to poll, by id. */
export function openTickets(
  em: EntityManager,
  orgId: string,
  connectorId: string,
  after: string | null,
): Promise<AskedTicket[]> {
  return sqlOf(em).query<AskedTicket>(OPEN, [orgId, connectorId, after, HIDDEN]);
}

/** Locks those tickets that have not changed since the poll began. */
export async function lockUnchanged(
  em: EntityManager,
  orgId: string,
  answers: readonly TicketAnswer[],
): Promise<Set<string>> {
  if (answers.length === 0) return new Set();
  const rows = await sqlOf(em).query<{ id: string }>(UNCHANGED, [
    orgId,
    plainArray(answers, ({ ticket }) => ticket.id),
    textArray(answers, ({ ticket }) => ticket.version),
  ]);
  return new Set(rows.map(({ id }) => id));
}
