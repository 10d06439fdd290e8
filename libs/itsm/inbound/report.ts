import type { JsonObject } from '#core';
import { TICKET_STATUSES, type InboundUpdate, type TicketStatus } from '../adapter/ticket-state.js';
import { lineOf, linesOf, NOTES_MAX, RESOLUTION_MAX, UPDATED_BY_MAX } from './report-text.js';

/** The source of a report, for the audit log. */
export interface ReportSource {
  readonly address: string | null;
  readonly requestId: string | null;
}

/** The tickets to which a report may apply. */
export interface ReportScope {
  /** Restricts the report to tickets of this connector. */
  readonly connectorId?: string | undefined;
  /** Whether the report contains the connector's secret, or is signed with it. */
  readonly isProven?: boolean;
  /** Restricts the report to tickets of these platforms, if the format of the report reveals its platform. */
  readonly kinds?: readonly string[] | undefined;
  /** Excludes tickets of these connectors, because the report lacks their secret. */
  readonly closed?: readonly string[] | undefined;
}

/**
 * The outcome of a report. `ignored`: the report is a platform's webhook that is not about a ticket of the
 * organization.
 */
export type ReportOutcome = 'applied' | 'unchanged' | 'duplicate' | 'stale' | 'parked' | 'ignored';

/** The answer to the sender of a report. */
export interface ReportReceipt {
  readonly outcome: ReportOutcome;
  readonly externalTicketId: string;
  /** Status of the ticket after the report. For a parked report, the status that it will get. */
  readonly status: TicketStatus;
}

/** Packs a report as JSON that PostgreSQL can store. The report may contain any characters. */
export function packUpdate({ occurredAt, eventId, resolution, notes, updatedBy, ...rest }: InboundUpdate): JsonObject {
  return {
    ...rest,
    ...(resolution === undefined ? {} : { resolution: lineOf(resolution, RESOLUTION_MAX) }),
    ...(notes === undefined ? {} : { notes: linesOf(notes, NOTES_MAX) }),
    ...(updatedBy === undefined ? {} : { updatedBy: lineOf(updatedBy, UPDATED_BY_MAX) }),
    ...(eventId === undefined ? {} : { eventId: Buffer.from(eventId).toString('base64') }),
    ...(occurredAt === undefined ? {} : { occurredAt: occurredAt.toISOString() }),
  };
}

/** Unpacks a report that {@link packUpdate} packed. */
export function unpackUpdate(packed: JsonObject): InboundUpdate {
  // Only `packUpdate` writes such values.
  const kept = packed as unknown as Omit<InboundUpdate, 'occurredAt'> & { occurredAt?: string };
  const { occurredAt, eventId, ...rest } = kept;
  return {
    ...rest,
    ...(eventId === undefined ? {} : { eventId: Buffer.from(eventId, 'base64').toString() }),
    ...(occurredAt === undefined ? {} : { occurredAt: new Date(occurredAt) }),
  };
}

/** Whether a word is one of the statuses. */
export function isTicketStatus(word: unknown): word is TicketStatus {
  return TICKET_STATUSES.some(status => status === word);
}
