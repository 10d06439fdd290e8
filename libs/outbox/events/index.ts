// The event types and their wire format. Independent of databases and frameworks.

// Types of events
export {
  EVENT_TYPES,
  isEventType,
  NAMED_EVENT_TYPES,
  PING,
  SUBSCRIBABLE_EVENT_TYPES,
  type EventDataOf,
  type EventType,
  type SentEventType,
} from './event-types.js';
export type { AnomalyDetectedData } from './anomaly-detected.event.js';
export { BUDGET_SCOPES, type BudgetData, type BudgetScope } from './budget.event.js';
export type { EventWindow } from './event-fields.js';
export type { DeviceData } from './device.event.js';
export type { PolicyViolationData } from './policy-violation.event.js';
export type { UserLockedOutData } from './user-locked-out.event.js';

// Describe events
export { EVENT_CATALOGUE, type CatalogueEntry } from './catalogue.js';

// Encode events
export { encodeEvent, envelopeOf, type EventEnvelope } from './envelope.js';
export { parseWireEventId, wireEventId } from './wire-event-id.js';
