import { envelopeOf, type EventEnvelope } from './envelope.js';
import type { DataSchema } from './event-description.js';
import { EVENTS, PING, SUBSCRIBABLE_EVENT_TYPES, type SentEventType } from './event-types.js';

/** The published description of an event type. */
export interface CatalogueEntry {
  type: SentEventType;
  /** Describes when the event is sent. */
  description: string;
  /** JSON Schema (draft 2020-12) of `data`. */
  schema: DataSchema;
  /** An example of a complete event of this type. */
  example: EventEnvelope;
}

const ENVELOPE = {
  id: '0199c2a8-b204-7d9a-8f61-e7035a4c2b98',
  createdAt: new Date('2026-11-20T13:00:00.000Z'),
  orgId: '0199c2a8-5d07-7a44-93be-4f8e21d06c72',
};

function entryOf(type: SentEventType): CatalogueEntry {
  const { description, schema, example } = EVENTS[type];
  return { type, description, schema, example: envelopeOf({ ...ENVELOPE, type, data: example }) };
}

/** All event types: the general types, the types that a webhook must name, and the ping. */
export const EVENT_CATALOGUE: readonly CatalogueEntry[] = ([...SUBSCRIBABLE_EVENT_TYPES, PING] as const).map(entryOf);
