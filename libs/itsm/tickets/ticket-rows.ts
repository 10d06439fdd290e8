import type { EntityManager } from '@mikro-orm/postgresql';
import type { JsonObject, Severity } from '#core';
import { equal, newestFirst, plainSql, SCHEMA, sqlOf, type TableList, isoTime } from '#database';
import type { TicketStatus } from '../adapter/ticket-state.js';
import type { ChangeKind } from '../adapter/ticket-change.js';
import type { ChangeResult } from '../decide/after-update.js';
import { CHANGE_QUEUE, changeTaskIdSql, TICKET_QUEUE } from '../ticket-task.js';
import type { SyncState } from '../decide/progress.js';
import type { TicketOrigin } from './ticket.entity.js';
import { TicketNotFoundError } from './ticket.errors.js';

/** Filters of a list of tickets. */
export interface TicketFilter {
  status?: TicketStatus | undefined;
  sync_state?: SyncState | undefined;
  connector_id?: string | undefined;
  incident_id?: string | undefined;
  kind?: string | undefined;
}

/** A ticket as the API shows it. */
export interface ShownTicket {
  id: string;
  org_id: string;
  incident_id: string | null;
  connector_id: string;
  kind: string;
  origin: TicketOrigin;
  title: string;
  severity: Severity;
  external_ticket_id: string | null;
  url: string | null;
  status: TicketStatus | null;
  sync_state: SyncState;
  attempts: number;
  next_attempt_at: string | null;
  degraded: string[];
  error_code: string | null;
  error: string | null;
  error_fields: JsonObject | null;
  resolution: string | null;
  notes: string | null;
  updated_by: string | null;
  status_changed_at: string | null;
  follows: string | null;
  change_kind: ChangeKind | null;
  change_result: ChangeResult | null;
  change_error: string | null;
  change_at: string | null;
  next_change_at: string | null;
  created_at: string;
  updated_at: string;
}

// A task is leased if it has a token. Its due time is then the end of the lease.
const COLUMNS = `t.id, t.org_id, t.incident_id, t.connector_id, t.kind, t.origin, t.draft ->> 'title' as title,
  t.draft ->> 'severity' as severity, t.external_ticket_id, t.url, t.status, t.sync_state, t.attempts,
  case when k.lease_token is null and k.quarantined_at is null and h.key is null then ${isoTime('k.due_at')} end
    as next_attempt_at,
  t.degraded, t.error_code, t.error, t.error_fields, t.resolution, t.notes, t.updated_by,
  ${isoTime('t.status_at')} as status_changed_at, t.follows, t.change_kind, t.change_result,
  t.change_error, ${isoTime('t.change_at')} as change_at,
  case when c.lease_token is null and c.quarantined_at is null and hc.key is null then ${isoTime('c.due_at')} end
    as next_change_at,
  ${isoTime('t.created_at')} as created_at, ${isoTime('t.updated_at')} as updated_at`;

const WITH_TASK = `
left join ${SCHEMA}.tasks k on k.org_id = t.org_id and k.id = t.id and t.sync_state in ('pending', 'uncertain')
left join ${SCHEMA}.task_holds h on h.org_id = t.org_id and h.queue = '${TICKET_QUEUE}' and h.key = t.connector_id::text
left join ${SCHEMA}.tasks c on c.org_id = t.org_id and c.id = ${changeTaskIdSql('t.id')} and t.sync_state = 'created'
left join ${SCHEMA}.task_holds hc on hc.org_id = t.org_id and hc.queue = '${CHANGE_QUEUE}' and hc.key = t.connector_id::text`;

/** Lists tickets, newest first. */
export function ticketsOf({
  status,
  sync_state,
  connector_id,
  incident_id,
  kind,
}: TicketFilter): TableList<ShownTicket> {
  const filters = { status, sync_state, kind, connector_id, incident_id };
  return {
    name: 'tickets',
    filters,
    table: 'tickets',
    as: 't',
    columnJoins: WITH_TASK,
    where: equal({
      't.status': status,
      't.sync_state': sync_state,
      't.kind': kind,
      't.connector_id': connector_id,
      't.incident_id': incident_id,
    }),
    rows: plainSql(COLUMNS),
    order: newestFirst('t.id'),
  };
}

/** Returns a ticket. @param em an entity manager with a transaction of the organization @throws TicketNotFoundError */
export async function oneTicket(em: EntityManager, orgId: string, id: string): Promise<ShownTicket> {
  const sql = `select ${COLUMNS} from ${SCHEMA}.tickets t ${WITH_TASK} where t.org_id = $1 and t.id = $2::uuid`;
  const [ticket] = await sqlOf(em).query<ShownTicket>(sql, [orgId, id]);
  if (!ticket) throw new TicketNotFoundError(id);
  return ticket;
}
