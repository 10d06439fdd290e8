import type { AnomalyDetectedData } from './anomaly-detected.event.js';
import type { AuditAnchorData } from './audit-anchor.event.js';
import type { BudgetData } from './budget.event.js';
import type { DeviceData } from './device.event.js';
import type { PingData } from './ping.event.js';
import type { PolicyViolationData } from './policy-violation.event.js';
import type { UserLockedOutData } from './user-locked-out.event.js';

/** The types of events that a webhook gets which names none. */
export const EVENT_TYPES = [
  'policy_violation',
  'budget_exceeded',
  'budget_warning',
  'user_locked_out',
  'anomaly_detected',
  'device_enrolled',
  'device_revoked',
] as const;

/** The types that a webhook gets only when it names them: they are for a receiver that was made for them. */
export const NAMED_EVENT_TYPES = ['audit_anchor'] as const;

/** All types of events that can be subscribed to. */
export const SUBSCRIBABLE_EVENT_TYPES = [...EVENT_TYPES, ...NAMED_EVENT_TYPES] as const;

/** A type of event that can be subscribed to. */
export type EventType = (typeof SUBSCRIBABLE_EVENT_TYPES)[number];

/** The type of the event that tests one webhook. It cannot be subscribed to. */
export const PING = 'ping';

/** A type of event that can be sent. */
export type SentEventType = EventType | typeof PING;

/** What stands in `data`, by type. */
export interface EventDataOf {
  policy_violation: PolicyViolationData;
  budget_exceeded: BudgetData;
  budget_warning: BudgetData;
  user_locked_out: UserLockedOutData;
  anomaly_detected: AnomalyDetectedData;
  device_enrolled: DeviceData;
  device_revoked: DeviceData;
  audit_anchor: AuditAnchorData;
  ping: PingData;
}

/** Whether a text names a type of event that can be subscribed to. */
export function isEventType(text: unknown): text is EventType {
  return SUBSCRIBABLE_EVENT_TYPES.some(type => type === text);
}
