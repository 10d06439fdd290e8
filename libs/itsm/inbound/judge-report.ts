import type { InboundUpdate, TicketState, TicketStatus } from '../adapter/ticket-state.js';
import { notAfter } from '../decide/platform-time.js';
import { lineOf, linesOf, NOTES_MAX, RESOLUTION_MAX, UPDATED_BY_MAX } from './report-text.js';

/** The stored status of a ticket. */
export interface ReportedState {
  /** The status. Null if none is known. */
  readonly status: TicketStatus | null;
  /** Time of the last report with a time, or of a later change by the service. */
  readonly reportedAt: Date | null;
  /** Event id of the report with this time, if the id contains a sequence number. Null for a change by the service. */
  readonly reportedEvent: string | null;
  readonly resolution: string | null;
  readonly notes: string | null;
  readonly updatedBy: string | null;
}

/** The result of a report. */
export type Verdict =
  | { readonly kind: 'changed'; readonly next: ReportedState }
  /** The status is unchanged. The time and the event id may be newer. */
  | { readonly kind: 'unchanged'; readonly next: ReportedState }
  /** A newer status is already stored. */
  | { readonly kind: 'stale' };

const UNRESOLVED: ReadonlySet<TicketStatus> = new Set(['open', 'in_progress']);

/**
 * Decides what a report changes. A report is stale if it is older than the last report with a time, or than the last
 * change by the service. Two changes may have the same time. In that case, the report is stale if its event id has the
 * smaller sequence number. A report without a time always applies. Missing fields keep their values, except the
 * resolution of a ticket that is no longer resolved. An empty text clears a field. A time in the future counts as now,
 * so that a platform with a fast clock cannot block later reports.
 */
export function judgeReport(
  before: ReportedState,
  report: TicketState & Pick<InboundUpdate, 'eventId'>,
  now: Date,
): Verdict {
  const at = report.occurredAt === undefined ? undefined : notAfter(now, report.occurredAt);
  const event = countedEvent(report.eventId);
  if (at && before.reportedAt && at < before.reportedAt) return { kind: 'stale' };
  const isLater = at?.getTime() !== before.reportedAt?.getTime();
  if (at && !isLater && isEarlier(event, before.reportedEvent)) return { kind: 'stale' };
  const reopened = UNRESOLVED.has(report.status);
  const next: ReportedState = {
    status: report.status,
    reportedAt: at ?? before.reportedAt,
    reportedEvent: at ? (event ?? (isLater ? null : before.reportedEvent)) : before.reportedEvent,
    resolution: textOf(report.resolution, reopened ? null : before.resolution, text => lineOf(text, RESOLUTION_MAX)),
    notes: textOf(report.notes, before.notes, text => linesOf(text, NOTES_MAX)),
    updatedBy: textOf(report.updatedBy, before.updatedBy, text => lineOf(text, UPDATED_BY_MAX)),
  };
  return { kind: isSame(before, next) ? 'unchanged' : 'changed', next };
}

function textOf(given: string | undefined, before: string | null, clean: (text: string) => string): string | null {
  if (given === undefined) return before;
  const text = clean(given);
  return text === '' ? null : text;
}

function isSame(before: ReportedState, next: ReportedState): boolean {
  return (
    before.status === next.status &&
    before.resolution === next.resolution &&
    before.notes === next.notes &&
    before.updatedBy === next.updatedBy
  );
}

// An id that can be stored, and that ends in a number which JavaScript represents exactly.
const COUNTED = /^([\x20-\x7e]{1,230}):(\d{1,15})$/;

/**
 * The id of a report, if it ends in a colon and a sequence number. Otherwise null, because the id does not determine an
 * order.
 */
function countedEvent(eventId: string | undefined): string | null {
  return eventId !== undefined && COUNTED.test(eventId) ? eventId : null;
}

/**
 * Compares the sequence numbers of two reports of the same time: `sys_id:sys_mod_count` of ServiceNow, whose times are
 * whole seconds, and issue and change of Jira. Ids with different prefixes cannot be compared.
 */
function isEarlier(event: string | null, other: string | null): boolean {
  const [[, of, count], [, otherOf, otherCount]] = [COUNTED.exec(event ?? '') ?? [], COUNTED.exec(other ?? '') ?? []];
  return of !== undefined && of === otherOf && Number(count) < Number(otherCount);
}
