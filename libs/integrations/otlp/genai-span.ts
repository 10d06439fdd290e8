import type { EventRefusal } from '#usage';
import { tokenFields } from '../usage-counts.js';
import { isClaudeCodeSpan, readClaudeCodeSpan } from './claude-code-request.js';
import type { Received } from './otlp-json.js';
import { first, notesOf, personIn, timeOf, type Report, type Telling } from './report.js';
import { OTHER_OPERATIONS, SPAN_NAMES } from './span-names.js';

/** What becomes of a span; undefined where it reports no use of a model. */
type ReadSpan = { readonly event: object } | { readonly refusal: EventRefusal } | undefined;

const TRACE_ID = /^[0-9a-f]{32}$/;
const SPAN_ID = /^[0-9a-f]{16}$/;

/** Reads GenAI spans as usage events in the form of `POST /v1/usage/events`. Never throws. */
export function reportsOfSpans(spans: readonly Received[], telling: Telling): Report[] {
  return spans.flatMap((span, at): Report[] => {
    if (isClaudeCodeSpan(span)) return readClaudeCodeSpan(span, at, telling);
    const read = readSpan(span);
    return read ? [{ from: [at], ...read }] : [];
  });
}

function readSpan({ item: span, attributes, resource }: Received): ReadSpan {
  const [input, output] = [first(attributes, SPAN_NAMES.input), first(attributes, SPAN_NAMES.output)];
  if (input === undefined && output === undefined) return undefined;
  const operation = first(attributes, SPAN_NAMES.operation);
  if (OTHER_OPERATIONS.has(operation)) return undefined;
  const [traceId, spanId] = [hexOf(span['traceId']), hexOf(span['spanId'])];
  if (!TRACE_ID.test(traceId) || !SPAN_ID.test(spanId)) {
    return refused(null, 'spanId', 'traceId must have 32 hexadecimal digits and spanId 16');
  }
  const person = personIn(attributes, SPAN_NAMES.person) ?? personIn(resource, SPAN_NAMES.person);
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

function hexOf(value: unknown): string {
  return typeof value === 'string' ? value.toLowerCase() : '';
}
