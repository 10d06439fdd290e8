import { isUuid } from '#core';
import { PING, type SentEventType } from './event-types.js';

const WIRE_ID = /^evt_(test_)?([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/;

/** A parsed event id. */
export interface ParsedEventId {
  /** The UUID of the stored event, in lower case with hyphens. */
  id: string;
  /** Whether the event is a ping. */
  isTest: boolean;
}

/**
 * The id of an event as it is sent: `evt_` (`evt_test_` for a ping) and the 32 hexadecimal digits of its UUID.
 * @throws TypeError if `id` is not a UUID
 */
export function wireEventId(id: string, type: SentEventType): string {
  if (!isUuid(id)) throw new TypeError(`An event is stored under a UUID, not under ${JSON.stringify(id)}`);
  return `${type === PING ? 'evt_test_' : 'evt_'}${id.replaceAll('-', '').toLowerCase()}`;
}

/** Parses an id from `wireEventId`; undefined for any other text. */
export function parseWireEventId(text: string): ParsedEventId | undefined {
  const match = WIRE_ID.exec(text);
  return match ? { id: match.slice(2).join('-'), isTest: match[1] !== undefined } : undefined;
}
