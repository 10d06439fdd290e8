import type { EntityManager } from '@mikro-orm/postgresql';
import type { JsonObject, Severity } from '#core';
import { countRows, SCHEMA, sqlOf } from '#database';
import type { TicketStatus } from '../adapter/ticket-state.js';
import { TICKET_LANE } from '../ticket-task.js';
import type { SyncState, TicketOrigin } from './ticket.entity.js';
import { TicketNotFoundError } from './ticket.errors.js';

/** Which tickets. */
export interface TicketFilter {
  status?: TicketStatus | undefined;
  sync_state?: SyncState | undefined;
  connector_id?: string | undefined;
  incident_id?: string | undefined;
  kind?: string | undefined;
}

/** A ticket as it is shown. */
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
  created_at: string;
  updated_at: string;
}

const iso = (column: string): string => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

// The lease of a task is its due time, moved into the future under a token.
const COLUMNS = `t.id, t.org_id, t.incident_id, t.connector_id, t.kind, t.origin, t.draft ->> 'title' as title,
  t.draft ->> 'severity' as severity, t.external_ticket_id, t.url, t.status, t.sync_state, t.attempts,
  case when k.lease_token is null and k.quarantined_at is null and h.key is null then ${iso('k.due_at')} end
    as next_attempt_at,
  t.degraded, t.error_code, t.error, t.error_fields, t.resolution, t.notes, t.updated_by,
  ${iso('t.status_at')} as status_changed_at, ${iso('t.created_at')} as created_at, ${iso('t.updated_at')} as updated_at`;

const WITH_TASK = `
left join ${SCHEMA}.tasks k on k.org_id = t.org_id and k.id = t.id and t.sync_state in ('pending', 'uncertain')
left join ${SCHEMA}.task_holds h on h.org_id = t.org_id and h.lane = '${TICKET_LANE}' and h.key = t.connector_id::text`;

/** The statements behind the list and the single view of tickets. */
export class TicketRows {
  private readonly parameters: unknown[];
  private readonly where: string;

  /** @param em of a transaction of the organization */
  constructor(
    private readonly em: EntityManager,
    orgId: string,
    { status, sync_state, connector_id, incident_id, kind }: TicketFilter = {},
  ) {
    this.parameters = [orgId];
    const texts = { status, sync_state, kind };
    const ids = { connector_id, incident_id };
    this.where = [
      't.org_id = $1',
      ...Object.entries(texts).flatMap(([column, value]) => this.equal(column, value, 'text')),
      ...Object.entries(ids).flatMap(([column, value]) => this.equal(column, value, 'uuid')),
    ].join(' and ');
  }

  /** How many there are. */
  count(): Promise<number> {
    return countRows(sqlOf(this.em), `select 1 from ${SCHEMA}.tickets t where ${this.where}`, this.parameters);
  }

  /** At most `limit` tickets, the newest first, those made before the ticket `before`. */
  newest(limit: number, before?: string): Promise<ShownTicket[]> {
    const parameters = [...this.parameters];
    const position = before === undefined ? '' : ` and t.id < $${parameters.push(before)}::uuid`;
    const order = `order by t.id desc limit $${parameters.push(limit)}`;
    return this.read(`where ${this.where}${position} ${order}`, parameters);
  }

  /** @throws TicketNotFoundError */
  async one(id: string): Promise<ShownTicket> {
    const [ticket] = await this.read(`where ${this.where} and t.id = $2::uuid`, [...this.parameters, id]);
    if (!ticket) throw new TicketNotFoundError(id);
    return ticket;
  }

  private read(rest: string, parameters: readonly unknown[]): Promise<ShownTicket[]> {
    const sql = `select ${COLUMNS} from ${SCHEMA}.tickets t ${WITH_TASK} ${rest}`;
    return sqlOf(this.em).query<ShownTicket>(sql, parameters);
  }

  private equal(column: string, value: string | undefined, type: 'text' | 'uuid'): string[] {
    return value === undefined ? [] : [`t.${column} = $${this.parameters.push(value)}::${type}`];
  }
}
