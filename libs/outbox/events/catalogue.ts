import { ANOMALY_DETECTED } from './anomaly-detected.event.js';
import { AUDIT_ANCHOR } from './audit-anchor.event.js';
import { BUDGET_EXCEEDED, BUDGET_WARNING } from './budget.event.js';
import { DEVICE_ENROLLED, DEVICE_REVOKED } from './device.event.js';
import { envelopeOf, type EventEnvelope } from './envelope.js';
import type { DataSchema, EventDescription } from './event-description.js';
import { PING, SUBSCRIBABLE_EVENT_TYPES, type EventDataOf, type SentEventType } from './event-types.js';
import { PING_EVENT } from './ping.event.js';
import { POLICY_VIOLATION } from './policy-violation.event.js';
import { USER_LOCKED_OUT } from './user-locked-out.event.js';

/** What is published about a type of event. */
export interface CatalogueEntry {
  type: SentEventType;
  /** When it is sent. */
  description: string;
  /** JSON Schema (draft 2020-12) of `data`. */
  schema: DataSchema;
  /** A whole event of this type. */
  example: EventEnvelope;
}

const DESCRIPTIONS: { [T in SentEventType]: EventDescription<EventDataOf[T]> } = {
  policy_violation: POLICY_VIOLATION,
  budget_exceeded: BUDGET_EXCEEDED,
  budget_warning: BUDGET_WARNING,
  user_locked_out: USER_LOCKED_OUT,
  anomaly_detected: ANOMALY_DETECTED,
  device_enrolled: DEVICE_ENROLLED,
  device_revoked: DEVICE_REVOKED,
  audit_anchor: AUDIT_ANCHOR,
  ping: PING_EVENT,
};

const ENVELOPE = {
  id: '0199c2a8-b204-7d9a-8f61-e7035a4c2b98',
  createdAt: new Date('2026-11-20T13:00:00.000Z'),
  orgId: '0199c2a8-5d07-7a44-93be-4f8e21d06c72',
};

function entryOf(type: SentEventType): CatalogueEntry {
  const { description, schema, example } = DESCRIPTIONS[type];
  return { type, description, schema, example: envelopeOf({ ...ENVELOPE, type, data: example }) };
}

/** All that can be sent: the types of `EVENT_TYPES`, those that must be named, the ping. */
export const EVENT_CATALOGUE: readonly CatalogueEntry[] = ([...SUBSCRIBABLE_EVENT_TYPES, PING] as const).map(entryOf);
