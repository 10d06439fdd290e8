import type { InboundUpdate, TicketState, TicketStatus } from '../adapter/ticket-state.js';
import { lineOf, linesOf, NOTES_MAX, RESOLUTION_MAX, UPDATED_BY_MAX } from './report-text.js';

/** The stored status of a ticket. */
export interface ReportedState {
  /** Null for a ticket without any known status. */
  readonly status: TicketStatus | null;
  /** The time of the last report that had one. */
  readonly reportedAt: Date | null;
  /** The event id of that report, where it tells an order. */
  readonly reportedEvent: string | null;
  readonly resolution: string | null;
  readonly notes: string | null;
  readonly updatedBy: string | null;
}

/** The result of a report. */
export type Verdict =
  | { readonly kind: 'changed'; readonly next: ReportedState }
  /** The status is unchanged; the time and the count may be newer. */
  | { readonly kind: 'unchanged'; readonly next: ReportedState }
  /** A newer status is already stored. */
  | { readonly kind: 'stale' };

const UNRESOLVED: ReadonlySet<TicketStatus> = new Set(['open', 'in_progress']);

/**
 * What a report means for a ticket. Reports with a time are held against the time of the last one that had any: the
 * older is stale, and of those of one moment the one whose event id has the smaller count. A report without a time counts as it comes. What a report leaves out stays as it was, but for the
 * resolution of a ticket that is not resolved any more; an empty text takes away what was there. Times ahead of the
 * clock count as now, so that a platform whose clock is fast cannot shut out what comes later.
 */
export function judgeReport(
  before: ReportedState,
  report: TicketState & Pick<InboundUpdate, 'eventId'>,
  now: Date,
): Verdict {
  const at = report.occurredAt === undefined ? undefined : new Date(Math.min(report.occurredAt.getTime(), +now));
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

// What can be stored, and ends in a count that a number holds exactly.
const COUNTED = /^([\x20-\x7e]{1,230}):(\d{1,15})$/;

/** The id of a report that ends in a colon and a count of changes; null for any other, which tells no order. */
function countedEvent(eventId: string | undefined): string | null {
  return eventId !== undefined && COUNTED.test(eventId) ? eventId : null;
}

/**
 * Whether a report of the same moment came before another by the counts in their ids: `sys_id:sys_mod_count` of
 * ServiceNow, whose times are whole seconds, and issue and change of Jira. Ids that differ in more tell nothing.
 */
function isEarlier(event: string | null, other: string | null): boolean {
  const [[, of, count], [, otherOf, otherCount]] = [COUNTED.exec(event ?? '') ?? [], COUNTED.exec(other ?? '') ?? []];
  return of !== undefined && of === otherOf && Number(count) < Number(otherCount);
}
