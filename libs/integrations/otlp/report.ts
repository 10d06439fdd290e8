import { isStorableText, shortened } from '#core';
import type { EventRefusal } from '#usage';
import { namedPerson, type NamedPerson } from '../people/named-person.js';
import { reportedDimensions } from '../reported-dimensions.js';
import type { Attributes, Received } from './otlp-json.js';

/** Context of the telemetry. */
export interface TelemetryContext {
  /** The person behind the token, if there is one. */
  readonly sender: NamedPerson | undefined;
  /** Whether costs in the telemetry count instead of the prices here. */
  readonly countsReportedCost: boolean;
}

/** A usage event from telemetry, or the reason why there is none. */
export type Report = {
  /** Indexes of the items that it was read from. */
  readonly from: readonly number[];
  /** Whether another signal may report the same request under the same id with other content. */
  readonly reportedTwice?: boolean;
} & ({ readonly event: object } | { readonly refusal: EventRefusal });

/** Reads all items of one export. Items that report no usage are left out. */
export type ReportsOf = (items: readonly Received[], telemetry: TelemetryContext) => Report[];

const NANOS = /^\d{1,19}$/;
const NANOS_PER_MS = 1_000_000n;
const NOTE_MAX = 200;

/** The first existing attribute of those named. */
export function first(attributes: Attributes, names: readonly string[]): unknown {
  const name = names.find(each => attributes.has(each));
  return name === undefined ? undefined : attributes.get(name);
}

/** The first of the named attributes that identifies a person. */
export function personIn(attributes: Attributes, names: readonly string[]): NamedPerson | undefined {
  for (const name of names) {
    const person = namedPerson(attributes.get(name));
    if (person) return person;
  }
  return undefined;
}

/** Why usage has no person, for the sender of the telemetry. */
export function withoutPerson(id: string, [first = '', ...others]: readonly string[]): { refusal: EventRefusal } {
  const message = `or ${others.join(' or ')} must name a person, or the token must belong to one`;
  return { refusal: { id, field: first, message } };
}

/** Names the project of the usage. */
const PROJECT = 'governance.project';
/** Prefix of tag attributes. */
const TAG = 'governance.tag.';

/** Project and tags of an item, or else of its resource: an environment variable sets them for a whole program. */
export function dimensionsIn({ attributes, resource }: Pick<Received, 'attributes' | 'resource'>): object {
  const tags = [...attributes, ...resource].flatMap(([name, value]) =>
    name.startsWith(TAG) ? [[name.slice(TAG.length), value] as const] : [],
  );
  return reportedDimensions([attributes.get(PROJECT), resource.get(PROJECT)], tags);
}

/**
 * Converts nanoseconds since 1970 to a time. Undefined if they are invalid; the event is then rejected with that field.
 */
export function timeOf(nanos: unknown): string | undefined {
  const digits = typeof nanos === 'number' ? nanos.toFixed(0) : nanos;
  if (typeof digits !== 'string' || !NANOS.test(digits)) return undefined;
  return new Date(Number(BigInt(digits) / NANOS_PER_MS)).toISOString();
}

/** The texts among the notes, truncated. */
export function notesOf(notes: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(
    Object.entries(notes).flatMap(([name, text]) =>
      typeof text === 'string' && isStorableText(text) ? [[name, shortened(text, NOTE_MAX)]] : [],
    ),
  );
}
