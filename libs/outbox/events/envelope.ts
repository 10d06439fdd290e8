import type { EventDataOf, SentEventType } from './event-types.js';
import { wireEventId } from './wire-event-id.js';

/** An event as it is sent. */
export interface EventEnvelope<T extends SentEventType = SentEventType> {
  /** Id of the event: `evt_…`, or `evt_test_…` for a ping. Receivers use it to detect duplicates. */
  id: string;
  type: T;
  /** Time in ISO 8601, UTC, with milliseconds. */
  created_at: string;
  org_id: string;
  data: EventDataOf[T];
}

/** An event before it is encoded. */
export interface EncodableEvent<T extends SentEventType = SentEventType> {
  /** The UUID of the stored event. */
  id: string;
  type: T;
  createdAt: Date;
  orgId: string;
  data: EventDataOf[T];
}

/** The envelope, with its keys in the order of the wire format. @throws TypeError if the id is not a UUID */
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
 * The bytes of an event: JSON in UTF-8, without a final line break. An event is encoded once. The same bytes are then
 * stored, signed and sent in every attempt. NUL and lone surrogates are escaped. As with `JSON.stringify`, infinite
 * numbers become null, and minus zero becomes 0.
 */
export function encodeEvent<T extends SentEventType>(event: EncodableEvent<T>): Buffer {
  return Buffer.from(JSON.stringify(envelopeOf(event)), 'utf8');
}
