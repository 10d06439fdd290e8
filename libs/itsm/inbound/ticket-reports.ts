import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { AuditLog, type Actor } from '#access';
import { Clock, newId, type JsonObject } from '#core';
import { SCHEMA, sqlOf } from '#database';
import { addEntry } from '#incidents';
import type { TicketState, TicketStatus } from '../adapter/ticket-state.js';
import { ReopenedTickets } from '../tickets/reopened-tickets.js';
import { judgeReport, type ReportedState } from './judge-report.js';
import { keptRef } from '../decide/shown-text.js';
import { lineOf } from './report-text.js';
import type { ReportOutcome, ReportSource } from './report.js';

/**
 * Number of event ids that are kept per ticket to detect duplicates. A duplicate of an older report is applied again.
 */
const EVENTS_KEPT = 100;

const EVENT_ID_MAX = 255;

const FIND = `
select connector_id, kind, external_ticket_id, status, extract(epoch from reported_at)::float8 * 1000 as reported_at_ms, reported_event, resolution,
  notes, updated_by, url, coalesce(told -> 'hidden' <> 'null', false) as is_hidden,
  (select i.id from ${SCHEMA}.incidents i where i.org_id = t.org_id and i.id = t.incident_id) as incident_id
from ${SCHEMA}.tickets t where t.org_id = $1 and t.id = $2 for update of t`;

// A ticket that was declined follows its incident again after people have reopened it.
const STORE = `
update ${SCHEMA}.tickets
set told = case when status in ('resolved', 'closed') and $3::text in ('open', 'in_progress')
      and told ->> 'ended' = 'declined' then told - 'ended' else told end,
    status_at = case when status is distinct from $3::text then coalesce($4::timestamptz, $8::timestamptz) else status_at end,
    status = $3::text, reported_at = $4::timestamptz, resolution = $5, notes = $6, updated_by = $7,
    updated_at = $8::timestamptz, reported_event = $9
where org_id = $1 and id = $2`;

// The ticket was over after its incident was resolved, so it needs no resolution, even if people reopen it before the next
// attempt. A report of an earlier time proves nothing, because people may have reopened the ticket since. Platforms may
// report whole seconds.
const RESOLVED = `
update ${SCHEMA}.tickets t set told = t.told || '{"resolved": true}'
from ${SCHEMA}.incidents i
where t.org_id = $1 and t.id = $2 and t.told ->> 'resolved' = 'false' and i.org_id = t.org_id and i.id = t.incident_id
  and i.status = 'resolved' and ($3::timestamptz is null or $3 >= date_trunc('second', i.resolved_at))`;

// The old link stays, because it still works with the former name.
const RENAME = `
update ${SCHEMA}.tickets set external_ticket_id = $3, url = coalesce($4, url), updated_at = $5
where org_id = $1 and id = $2`;

// The platform shows the ticket again, so a change need not wait until the next day.
const SEEN = `update ${SCHEMA}.tickets set told = told - 'hidden' where org_id = $1 and id = $2`;

const REMEMBER = `
insert into ${SCHEMA}.itsm_report_events (org_id, ticket_id, event_hash, received_at) values ($1, $2, $3, $4)
on conflict do nothing returning 1 as is_new`;

const FORGET = `
delete from ${SCHEMA}.itsm_report_events e
where e.org_id = $1 and e.ticket_id = $2 and e.event_hash in (
  select o.event_hash from ${SCHEMA}.itsm_report_events o where o.org_id = $1 and o.ticket_id = $2
  order by o.received_at desc, o.event_hash offset ${EVENTS_KEPT})`;

interface TicketRow {
  connector_id: string;
  kind: string;
  external_ticket_id: string | null;
  status: TicketStatus | null;
  reported_at_ms: number | null;
  reported_event: string | null;
  resolution: string | null;
  notes: string | null;
  updated_by: string | null;
  url: string | null;
  /** Whether the platform did not show the ticket when a change was sent. */
  is_hidden: boolean;
  /** Id of the incident. Null for a test ticket, and if the incident was deleted at the end of its retention. */
  incident_id: string | null;
}

/** A report, with the id by which duplicates are detected. */
export interface Report extends TicketState {
  readonly eventId?: string;
  /** Whether the platform does not show the ticket. */
  readonly isHidden?: boolean;
}

/** Applies reports to tickets: each report once, and in order. */
@Injectable()
export class TicketReports {
  constructor(
    private readonly audit: AuditLog,
    private readonly reopened: ReopenedTickets,
    private readonly clock: Clock,
  ) {}

  /**
   * Applies a report in the caller's transaction. If the report changes the ticket, writes one audit entry. If it
   * changes the status, also adds an entry to the timeline of the incident. A duplicate or stale report writes nothing.
   * @throws Error if the organization has no such ticket
   */
  async apply(
    em: EntityManager,
    orgId: string,
    ticketId: string,
    report: Report,
    source: ReportSource,
  ): Promise<{ outcome: Exclude<ReportOutcome, 'parked' | 'ignored'>; status: TicketStatus }> {
    const tx = sqlOf(em);
    const [row] = await tx.query<TicketRow>(FIND, [orgId, ticketId]);
    if (!row) throw new Error(`There is no ticket ${ticketId} to report on.`);
    const now = this.clock.now();
    const before = stateOf(row);
    if (!(await isFirst(em, orgId, ticketId, report.eventId, now))) {
      return { outcome: 'duplicate', status: before.status ?? report.status };
    }
    if (row.is_hidden && report.isHidden !== true) {
      await tx.query(SEEN, [orgId, ticketId]);
      await this.reopened.tell(em, orgId, [ticketId]);
    }
    const verdict = judgeReport(before, report, now);
    if (verdict.kind === 'stale') return { outcome: 'stale', status: before.status ?? report.status };
    const { next } = verdict;
    const moved = report.movedTo && keptRef(report.movedTo);
    const isMoved = moved !== undefined && moved.externalTicketId !== row.external_ticket_id;
    if (isMoved) await tx.query(RENAME, [orgId, ticketId, moved.externalTicketId, moved.url ?? null, now]);
    const isNews = verdict.kind === 'changed';
    if (isNews || isLater(next, before)) {
      const { status, reportedAt, resolution, notes, updatedBy, reportedEvent } = next;
      const said = [resolution, notes, updatedBy];
      await tx.query(STORE, [orgId, ticketId, status, reportedAt, ...said, now, reportedEvent]);
      if (isOver(before.status) || isOver(status)) {
        await tx.query(RESOLVED, [orgId, ticketId, report.occurredAt ?? null]);
      }
      if (isOver(before.status) && !isOver(status)) await this.reopened.tell(em, orgId, [ticketId]);
    }
    if (!isNews && !isMoved) return { outcome: 'unchanged', status: report.status };
    if (next.status !== before.status && row.incident_id !== null) {
      await addEntry(em, orgId, {
        ...{ incidentId: row.incident_id, id: newId(now), kind: 'ticket', at: now },
        actor: { kind: 'connector', id: row.connector_id, name: row.kind },
        data: entryOf(ticketId, row, moved, next),
      });
    }
    await this.audit.append(em, actorOf(orgId, row, source), {
      action: 'ticket.status_reported',
      resourceType: 'ticket',
      resourceId: ticketId,
      before: { ...auditView(before), ...(isMoved && { external_ticket_id: row.external_ticket_id }) },
      after: {
        ...auditView(next),
        ...(isMoved && { external_ticket_id: moved.externalTicketId }),
        ...(report.eventId === undefined ? {} : { event_id: lineOf(report.eventId, EVENT_ID_MAX) }),
      },
    });
    return { outcome: 'applied', status: report.status };
  }
}

async function isFirst(
  em: EntityManager,
  orgId: string,
  ticketId: string,
  eventId: string | undefined,
  now: Date,
): Promise<boolean> {
  if (eventId === undefined) return true;
  const hash = createHash('sha256').update(eventId).digest();
  const rows = await sqlOf(em).query(REMEMBER, [orgId, ticketId, hash, now]);
  if (rows.length === 0) return false;
  await sqlOf(em).query(FORGET, [orgId, ticketId]);
  return true;
}

/**
 * The actor is the platform, through its connector. The platform may name a person. That name is not verified, so the
 * entry only quotes it.
 */
function actorOf(orgId: string, row: TicketRow, source: ReportSource): Actor {
  return { ...source, orgId, kind: 'connector', id: row.connector_id, name: row.kind, scopes: new Set() };
}

/** The entry in the timeline of the incident: the new status, and what the platform says about it. */
function entryOf(ticketId: string, row: TicketRow, moved: TicketState['movedTo'], next: ReportedState): JsonObject {
  return {
    ...{ change: 'reported', ticket_id: ticketId, connector_id: row.connector_id, platform: row.kind },
    external_ticket_id: moved?.externalTicketId ?? row.external_ticket_id,
    url: moved?.url ?? row.url,
    ...{ status: next.status, updated_by: next.updatedBy, resolution: next.resolution, note: next.notes },
  };
}

function isOver(status: TicketStatus | null): boolean {
  return status === 'resolved' || status === 'closed';
}

function isLater(next: ReportedState, before: ReportedState): boolean {
  return next.reportedAt?.getTime() !== before.reportedAt?.getTime() || next.reportedEvent !== before.reportedEvent;
}

function stateOf(row: TicketRow): ReportedState {
  return {
    status: row.status,
    reportedAt: row.reported_at_ms === null ? null : new Date(row.reported_at_ms),
    reportedEvent: row.reported_event,
    resolution: row.resolution,
    notes: row.notes,
    updatedBy: row.updated_by,
  };
}

function auditView(state: ReportedState): JsonObject {
  return {
    status: state.status,
    reported_at: state.reportedAt?.toISOString() ?? null,
    resolution: state.resolution,
    notes: state.notes,
    updated_by: state.updatedBy,
  };
}
