import { isStorableText, shortened } from '#core';
import type { EventRefusal } from '#usage';
import { namedPerson, type NamedPerson } from '../people/named-person.js';
import { reportedDimensions } from '../reported-dimensions.js';
import type { Attributes, Received } from './otlp-json.js';

/** Data about the sender and its request that the items do not contain. */
export interface TelemetryContext {
  /** The user of the access token; undefined if it has none. */
  readonly sender: NamedPerson | undefined;
  /** Whether costs in the telemetry are used instead of the prices of this service. */
  readonly countsReportedCost: boolean;
}

/** A usage event from telemetry, or the reason why it is rejected. */
export type Report = {
  /** Indexes of the items from which the event was read. */
  readonly from: readonly number[];
  /** Whether another signal may report the same request with the same id but other content. */
  readonly reportedTwice?: boolean;
} & ({ readonly event: object } | { readonly refusal: EventRefusal });

/** Reads all items of one export. Items that report no usage are ignored. */
export type ReportsOf = (items: readonly Received[], telemetry: TelemetryContext) => Report[];

const NANOS = /^\d{1,19}$/;
const NANOS_PER_MS = 1_000_000n;
const NOTE_MAX = 200;

/** The value of the first attribute that exists, in the order of the given names. */
export function first(attributes: Attributes, names: readonly string[]): unknown {
  const name = names.find(each => attributes.has(each));
  return name === undefined ? undefined : attributes.get(name);
}

/** The person whom the first suitable attribute identifies, in the order of the given names. */
export function personIn(attributes: Attributes, names: readonly string[]): NamedPerson | undefined {
  for (const name of names) {
    const person = namedPerson(attributes.get(name));
    if (person) return person;
  }
  return undefined;
}

/** Error message for the sender of telemetry whose usage has no person. */
export function withoutPerson(id: string, [first = '', ...others]: readonly string[]): { refusal: EventRefusal } {
  const message = `or ${others.join(' or ')} must name a person, or the token must belong to one`;
  return { refusal: { id, field: first, message } };
}

/** Attribute with the name of the usage's project. */
const PROJECT = 'governance.project';
/** Prefix of attributes that contain tags. */
const TAG = 'governance.tag.';

/**
 * Project and tags of an item. If the item has none, those of its resource, which an environment variable can set for a
 * whole program.
 */
export function dimensionsIn({ attributes, resource }: Pick<Received, 'attributes' | 'resource'>): object {
  const tags = [...attributes, ...resource].flatMap(([name, value]) =>
    name.startsWith(TAG) ? [[name.slice(TAG.length), value] as const] : [],
  );
  return reportedDimensions([attributes.get(PROJECT), resource.get(PROJECT)], tags);
}

/**
 * Converts nanoseconds since 1970 to a time. Undefined if the value is invalid; the event is then rejected because of
 * this field.
 */
export function timeOf(nanos: unknown): string | undefined {
  const digits = typeof nanos === 'number' ? nanos.toFixed(0) : nanos;
  if (typeof digits !== 'string' || !NANOS.test(digits)) return undefined;
  return new Date(Number(BigInt(digits) / NANOS_PER_MS)).toISOString();
}

/** The notes that are texts, truncated. */
export function notesOf(notes: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(
    Object.entries(notes).flatMap(([name, text]) =>
      typeof text === 'string' && isStorableText(text) ? [[name, shortened(text, NOTE_MAX)]] : [],
    ),
  );
}
