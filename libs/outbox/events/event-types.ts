import { ANOMALY_DETECTED } from './anomaly-detected.event.js';
import { AUDIT_ANCHOR } from './audit-anchor.event.js';
import { BUDGET_EXCEEDED, BUDGET_WARNING } from './budget.event.js';
import { DEVICE_ENROLLED, DEVICE_REVOKED } from './device.event.js';
import { PING_EVENT } from './ping.event.js';
import { POLICY_VIOLATION } from './policy-violation.event.js';
import { TOKEN_EXPIRING } from './token-expiring.event.js';
import { USER_LOCKED_OUT } from './user-locked-out.event.js';

/** A webhook that names no types gets these. */
const GENERAL_EVENTS = {
  policy_violation: POLICY_VIOLATION,
  budget_exceeded: BUDGET_EXCEEDED,
  budget_warning: BUDGET_WARNING,
  user_locked_out: USER_LOCKED_OUT,
  anomaly_detected: ANOMALY_DETECTED,
  device_enrolled: DEVICE_ENROLLED,
  device_revoked: DEVICE_REVOKED,
  token_expiring: TOKEN_EXPIRING,
};

/** A webhook gets these only when it names them: they are for a receiver that was made for them. */
const NAMED_EVENTS = {
  audit_anchor: AUDIT_ANCHOR,
};

/**
 * The registry of events: what is published about each type, by its name. Subscriptions, the OpenAPI document, the client
 * and the table in docs/webhooks.md follow from it.
 */
export const EVENTS = { ...GENERAL_EVENTS, ...NAMED_EVENTS, ping: PING_EVENT };

/** A type of event that can be sent. */
export type SentEventType = keyof typeof EVENTS;

/** What stands in `data`, by type. */
export type EventDataOf = { [T in SentEventType]: (typeof EVENTS)[T]['example'] };

/** The type of the event that tests one webhook. It cannot be subscribed to. */
export const PING = 'ping' satisfies SentEventType;

/** A type of event that can be subscribed to. */
export type EventType = Exclude<SentEventType, typeof PING>;

/** The types of events that a webhook gets which names none. */
export const EVENT_TYPES = namesOf(GENERAL_EVENTS);

/** The types that a webhook gets only when it names them. */
export const NAMED_EVENT_TYPES = namesOf(NAMED_EVENTS);

/** All types of events that can be subscribed to. */
export const SUBSCRIBABLE_EVENT_TYPES: readonly EventType[] = [...EVENT_TYPES, ...NAMED_EVENT_TYPES];

/** Whether a text names a type of event that can be subscribed to. */
export function isEventType(text: unknown): text is EventType {
  return SUBSCRIBABLE_EVENT_TYPES.some(type => type === text);
}

function namesOf<T extends object>(events: T): readonly (keyof T & string)[] {
  // The objects above have no other keys.
  return Object.keys(events) as (keyof T & string)[];
}
