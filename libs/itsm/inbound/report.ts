import type { JsonObject } from '#core';
import { TICKET_STATUSES, type InboundUpdate, type TicketStatus } from '../adapter/ticket-state.js';
import { lineOf, linesOf, NOTES_MAX, RESOLUTION_MAX, UPDATED_BY_MAX } from './report-text.js';

/** From where a report came; what the audit log says of it. */
export interface ReportSource {
  readonly address: string | null;
  readonly requestId: string | null;
}

/** Which tickets a report can be about. */
export interface ReportScope {
  /** Those of one connector. */
  readonly connectorId?: string | undefined;
  /** Whether the report carries the connector's secret, or is signed with it. */
  readonly isProven?: boolean;
  /** Those of these platforms, where their own form gave them away. */
  readonly kinds?: readonly string[] | undefined;
  /** None of these connectors: the report does not carry their secret. */
  readonly closed?: readonly string[] | undefined;
}

/** The outcome of a report; `ignored`: a platform's own webhook about something that is no ticket of the organization. */
export type ReportOutcome = 'applied' | 'unchanged' | 'duplicate' | 'stale' | 'parked' | 'ignored';

/** The answer to the sender of a report. */
export interface ReportReceipt {
  readonly outcome: ReportOutcome;
  readonly externalTicketId: string;
  /** The status of the ticket after the report; for a parked report, the future status. */
  readonly status: TicketStatus;
}

/** A report as JSON that PostgreSQL can store, with any characters of the sender. */
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

/** The report back from what {@link packUpdate} made. */
export function unpackUpdate(packed: JsonObject): InboundUpdate {
  // `packUpdate` alone writes such texts.
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
