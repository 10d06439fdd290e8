import type { EventDataOf, SentEventType } from './event-types.js';
import { wireEventId } from './wire-event-id.js';

/** An event as receivers see it. */
export interface EventEnvelope<T extends SentEventType = SentEventType> {
  /** `evt_…`; of a ping `evt_test_…`. The receiver's key against duplicates. */
  id: string;
  type: T;
  /** ISO 8601, UTC, with milliseconds. */
  created_at: string;
  org_id: string;
  data: EventDataOf[T];
}

/** An event before it is encoded. */
export interface EncodableEvent<T extends SentEventType = SentEventType> {
  /** The UUID under which it is stored. */
  id: string;
  type: T;
  createdAt: Date;
  orgId: string;
  data: EventDataOf[T];
}

/** The envelope, its keys in the order in which they are sent. @throws TypeError where the id is not a UUID. */
export function envelopeOf<T extends SentEventType>(event: EncodableEvent<T>): EventEnvelope<T> {
  return {
    id: wireEventId(event.id, event.type),
    type: event.type,
    created_at: event.createdAt.toISOString(),
    org_id: event.orgId,
    data: event.data,
  };
}

/**
 * The bytes of an event: JSON in UTF-8, without a line break at the end. They are made once, and then stored, signed and
 * sent as they are, in every attempt. Every text survives: NUL and halves of surrogate pairs are sent as escapes. What
 * JSON cannot say becomes what `JSON.stringify` makes of it: an infinite number null, minus zero 0.
 */
export function encodeEvent<T extends SentEventType>(event: EncodableEvent<T>): Buffer {
  return Buffer.from(JSON.stringify(envelopeOf(event)), 'utf8');
}
