import { ANOMALY_DETECTED } from './anomaly-detected.event.js';
import { AUDIT_ANCHOR } from './audit-anchor.event.js';
import { BUDGET_EXCEEDED, BUDGET_WARNING } from './budget.event.js';
import { DEVICE_ENROLLED, DEVICE_REVOKED } from './device.event.js';
import { PING_EVENT } from './ping.event.js';
import { POLICY_VIOLATION } from './policy-violation.event.js';
import { TOKEN_EXPIRING } from './token-expiring.event.js';
import { USER_LOCKED_OUT } from './user-locked-out.event.js';

/** Event types that are sent to webhooks without a list of types. */
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

/** Event types that are sent only to webhooks whose list contains them, because they need a special receiver. */
const NAMED_EVENTS = {
  audit_anchor: AUDIT_ANCHOR,
};

/**
 * The registry of event types. Subscriptions, the OpenAPI document, the client and the table in docs/webhooks.md are
 * derived from it.
 */
export const EVENTS = { ...GENERAL_EVENTS, ...NAMED_EVENTS, ping: PING_EVENT };

/** A type of event that can be sent. */
export type SentEventType = keyof typeof EVENTS;

/** The type of `data`, by event type. */
export type EventDataOf = { [T in SentEventType]: (typeof EVENTS)[T]['example'] };

/** The type of test events. Webhooks cannot subscribe to this type. */
export const PING = 'ping' satisfies SentEventType;

/** An event type that webhooks can subscribe to. */
export type EventType = Exclude<SentEventType, typeof PING>;

/** The event types that are sent to webhooks without a list of types. */
export const EVENT_TYPES = namesOf(GENERAL_EVENTS);

/** The event types that are sent only to webhooks whose list contains them. */
export const NAMED_EVENT_TYPES = namesOf(NAMED_EVENTS);

/** All event types that webhooks can subscribe to. */
export const SUBSCRIBABLE_EVENT_TYPES: readonly EventType[] = [...EVENT_TYPES, ...NAMED_EVENT_TYPES];

/** Whether a text is an event type that webhooks can subscribe to. */
export function isEventType(text: unknown): text is EventType {
  return SUBSCRIBABLE_EVENT_TYPES.some(type => type === text);
}

function namesOf<T extends object>(events: T): readonly (keyof T & string)[] {
  // The objects above have no other keys, so the type is correct.
  return Object.keys(events) as (keyof T & string)[];
}
