import { isStorableText, shortened } from '#core';
import type { EventRefusal } from '#usage';
import { namedPerson, type NamedPerson } from '../people/named-person.js';
import { tokenFields } from '../usage-counts.js';
import type { Attributes, ReceivedSpan } from './otlp-json.js';
import { OTHER_OPERATIONS, SPAN_NAMES } from './span-names.js';

/** What becomes of a span. */
export type ReadSpan =
  | { readonly event: object }
  | { readonly refusal: EventRefusal }
  /** It reports no use of a model. */
  | 'ignored';

const TRACE_ID = /^[0-9a-f]{32}$/;
const SPAN_ID = /^[0-9a-f]{16}$/;
const NANOS = /^\d{1,19}$/;
const NANOS_PER_MS = 1_000_000n;
const NOTE_MAX = 200;

/** Reads a GenAI span as a usage event in the form of `POST /v1/usage/events`. Never throws. */
export function readSpan({ span, attributes, resource }: ReceivedSpan): ReadSpan {
  const [input, output] = [first(attributes, SPAN_NAMES.input), first(attributes, SPAN_NAMES.output)];
  if (input === undefined && output === undefined) return 'ignored';
  const operation = first(attributes, SPAN_NAMES.operation);
  if (OTHER_OPERATIONS.has(operation)) return 'ignored';
  const [traceId, spanId] = [hexOf(span['traceId']), hexOf(span['spanId'])];
  if (!TRACE_ID.test(traceId) || !SPAN_ID.test(spanId)) {
    return refused(null, 'spanId', 'traceId must have 32 hexadecimal digits and spanId 16');
  }
  const person = personOf(attributes) ?? personOf(resource);
  const id = `otlp:${traceId}:${spanId}`;
  if (!person) return refused(id, 'enduser.id', `none of ${SPAN_NAMES.person.join(', ')} names a person`);
  return {
    event: {
      id,
      ...person,
      provider: first(attributes, SPAN_NAMES.provider),
      model: first(attributes, SPAN_NAMES.model),
      occurred_at: timeOf(span['startTimeUnixNano']),
      ...tokenFields({
        // Embeddings have no output.
        ...{ input: input ?? 0, output: output ?? 0 },
        cacheRead: first(attributes, SPAN_NAMES.cacheRead),
        cacheWrite: first(attributes, SPAN_NAMES.cacheWrite),
        reasoning: first(attributes, SPAN_NAMES.reasoning),
      }),
      metadata: { source: 'otlp', ...notesOf({ operation, service: resource.get('service.name') }) },
    },
  };
}

function refused(id: string | null, field: string, message: string): ReadSpan {
  return { refusal: { id, field, message } };
}

function first(attributes: Attributes, names: readonly string[]): unknown {
  const name = names.find(each => attributes.has(each));
  return name === undefined ? undefined : attributes.get(name);
}

function personOf(attributes: Attributes): NamedPerson | undefined {
  for (const name of SPAN_NAMES.person) {
    const person = namedPerson(attributes.get(name));
    if (person) return person;
  }
  return undefined;
}

function hexOf(value: unknown): string {
  return typeof value === 'string' ? value.toLowerCase() : '';
}

/** Undefined where it is no time, which is then named as the fault of the event. */
function timeOf(nanos: unknown): string | undefined {
  const digits = typeof nanos === 'number' ? nanos.toFixed(0) : nanos;
  if (typeof digits !== 'string' || !NANOS.test(digits)) return undefined;
  return new Date(Number(BigInt(digits) / NANOS_PER_MS)).toISOString();
}

function notesOf(notes: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(
    Object.entries(notes).flatMap(([name, text]) =>
      typeof text === 'string' && isStorableText(text) ? [[name, shortened(text, NOTE_MAX)]] : [],
    ),
  );
}
