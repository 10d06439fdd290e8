import type { JsonObject } from '#core';
import type { InboundUpdate, TicketState, TicketStatus } from '../../adapter/ticket-state.js';
import { fieldOf } from './table-api.js';

/** Statuses of the default incident states. 3 is On Hold, 7 Closed, 8 Canceled. */
const STATUSES: Readonly<Record<string, TicketStatus>> = {
  ...{ 1: 'open', 2: 'in_progress', 3: 'in_progress', 6: 'resolved', 7: 'closed', 8: 'closed' },
};

/**
 * Statuses of the default states of security incidents: draft, analysis, contain, eradicate, recover, review, closed,
 * canceled.
 */
const SECURITY_STATUSES: Readonly<Record<string, TicketStatus>> = {
  ...{ 10: 'open', 16: 'in_progress', 18: 'in_progress', 19: 'in_progress', 20: 'in_progress' },
  ...{ 100: 'resolved', 3: 'closed', 7: 'closed' },
};

/** Statuses of the states of each table. For other tables, the field `active` decides. */
const TABLES: Readonly<Record<string, Readonly<Record<string, TicketStatus>>>> = {
  incident: STATUSES,
  sn_si_incident: SECURITY_STATUSES,
};

/** The fields that {@link stateOf} reads. */
export const STATE_FIELDS = 'number,state,active,close_code,close_notes,sys_updated_by,sys_updated_on';

/** State of a record. If the instance has added the state, the field `active` decides. */
export function stateOf(record: JsonObject, table = 'incident'): TicketState | null {
  const status = statusOf(table, fieldOf(record, 'state'), fieldOf(record, 'active'));
  if (status === undefined) return null;
  const [resolution, notes] = [fieldOf(record, 'close_code'), fieldOf(record, 'close_notes')];
  const [updatedBy, occurredAt] = [fieldOf(record, 'sys_updated_by'), momentOf(fieldOf(record, 'sys_updated_on'))];
  return {
    status,
    ...(resolution !== undefined && { resolution }),
    ...(notes !== undefined && { notes }),
    ...(updatedBy !== undefined && { updatedBy }),
    ...(occurredAt !== undefined && { occurredAt }),
  };
}

/** Parses the report of a business rule: the fields of an incident, and `table`. */
export function readReport(body: JsonObject): InboundUpdate | null {
  const table = body['table'];
  if (typeof table !== 'string' || !Object.hasOwn(TABLES, table)) return null;
  const externalTicketId = fieldOf(body, 'number');
  const state = stateOf(body, table);
  if (externalTicketId === undefined || state === null) return null;
  const [sysId, version] = [fieldOf(body, 'sys_id'), fieldOf(body, 'sys_mod_count')];
  const eventId = sysId !== undefined && version !== undefined ? { eventId: `${sysId}:${version}` } : {};
  return { externalTicketId, ...(sysId !== undefined && { platformId: sysId }), ...state, ...eventId };
}

function statusOf(table: string, state: string | undefined, active: string | undefined): TicketStatus | undefined {
  if (state === undefined) return undefined;
  const known = Object.hasOwn(TABLES, table) ? TABLES[table] : undefined;
  if (known && Object.hasOwn(known, state)) return known[state];
  if (active === 'true') return 'in_progress';
  return active === 'false' ? 'closed' : undefined;
}

/** Parses `2026-11-20 10:00:00`. The time is in UTC unless display values were requested. */
function momentOf(text: string | undefined): Date | undefined {
  const parts = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})$/.exec(text ?? '');
  const moment = new Date(parts ? `${parts[1]}T${parts[2]}Z` : NaN);
  return Number.isNaN(moment.getTime()) ? undefined : moment;
}
