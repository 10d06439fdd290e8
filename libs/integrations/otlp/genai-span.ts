import { regionDefect, serviceTierNamed } from '#core';
import type { EventRefusal } from '#usage';
import { tokenFields } from '../usage-counts.js';
import { isClaudeCodeSpan, readClaudeCodeSpan } from './claude-code-request.js';
import type { Attributes, Received } from './otlp-json.js';
import {
  dimensionsIn,
  first,
  notesOf,
  personIn,
  timeOf,
  withoutPerson,
  type Report,
  type TelemetryContext,
} from './report.js';

/**
 * Attribute names of GenAI spans. The current name of the semantic conventions comes first, then former names, then
 * names of older instrumentations.
 */
const SPAN_NAMES = {
  operation: ['gen_ai.operation.name', 'llm.request.type'],
  provider: ['gen_ai.provider.name', 'gen_ai.system'],
  model: ['gen_ai.response.model', 'gen_ai.request.model', 'llm.response.model', 'llm.request.model'],
  input: ['gen_ai.usage.input_tokens', 'gen_ai.usage.prompt_tokens', 'llm.usage.prompt_tokens'],
  output: ['gen_ai.usage.output_tokens', 'gen_ai.usage.completion_tokens', 'llm.usage.completion_tokens'],
  cacheRead: ['gen_ai.usage.cache_read.input_tokens', 'gen_ai.usage.cache_read_input_tokens'],
  cacheWrite: ['gen_ai.usage.cache_creation.input_tokens', 'gen_ai.usage.cache_creation_input_tokens'],
  reasoning: ['gen_ai.usage.reasoning.output_tokens', 'gen_ai.usage.reasoning_tokens'],
  tier: [
    'openai.response.service_tier',
    'gen_ai.openai.response.service_tier',
    'openai.request.service_tier',
    'gen_ai.openai.request.service_tier',
  ],
  region: ['cloud.region'],
  person: ['enduser.id', 'user.email', 'user.id'],
} as const;

/** Operations that are ignored: they call no model, or they summarize calls whose own spans contain the tokens. */
const OTHER_OPERATIONS: ReadonlySet<unknown> = new Set([
  'create_agent',
  'invoke_agent',
  'invoke_workflow',
  'execute_tool',
  'retrieval',
]);

/** The result of reading a span; undefined if the span reports no usage of a model. */
type ReadSpan = { readonly event: object } | { readonly refusal: EventRefusal } | undefined;

const TRACE_ID = /^[0-9a-f]{32}$/;
const SPAN_ID = /^[0-9a-f]{16}$/;

/** Converts GenAI spans to usage events in the format of `POST /v1/usage/events`. Never throws. */
export function reportsOfSpans(spans: readonly Received[], telemetry: TelemetryContext): Report[] {
  return spans.flatMap((span, at): Report[] => {
    if (isClaudeCodeSpan(span)) return readClaudeCodeSpan(span, at, telemetry);
    const read = readSpan(span, telemetry);
    return read ? [{ from: [at], ...read }] : [];
  });
}

function readSpan({ item: span, attributes, resource }: Received, { sender }: TelemetryContext): ReadSpan {
  const [input, output] = [first(attributes, SPAN_NAMES.input), first(attributes, SPAN_NAMES.output)];
  if (input === undefined && output === undefined) return undefined;
  const operation = first(attributes, SPAN_NAMES.operation);
  if (OTHER_OPERATIONS.has(operation)) return undefined;
  const [traceId, spanId] = [hexOf(span['traceId']), hexOf(span['spanId'])];
  if (!TRACE_ID.test(traceId) || !SPAN_ID.test(spanId)) {
    return refused(null, 'spanId', 'traceId must have 32 hexadecimal digits and spanId 16');
  }
  const person = personIn(attributes, SPAN_NAMES.person) ?? personIn(resource, SPAN_NAMES.person) ?? sender;
  const id = `otlp:${traceId}:${spanId}`;
  if (!person) return withoutPerson(id, SPAN_NAMES.person);
  return {
    event: {
      id,
      ...person,
      provider: first(attributes, SPAN_NAMES.provider),
      model: first(attributes, SPAN_NAMES.model),
      occurred_at: timeOf(span['startTimeUnixNano']),
      ...tokenFields({
        // Embeddings have no output tokens.
        ...{ input: input ?? 0, output: output ?? 0 },
        cacheRead: first(attributes, SPAN_NAMES.cacheRead),
        cacheWrite: first(attributes, SPAN_NAMES.cacheWrite),
        reasoning: first(attributes, SPAN_NAMES.reasoning),
      }),
      ...termsOf(attributes),
      ...dimensionsIn({ attributes, resource }),
      metadata: { source: 'otlp', ...notesOf({ operation, service: resource.get('service.name') }) },
    },
  };
}

/** Only the region of the span counts, because the region of the resource is the caller's. */
function termsOf(attributes: Attributes): object {
  const tier = serviceTierNamed(first(attributes, SPAN_NAMES.tier));
  const region = first(attributes, SPAN_NAMES.region);
  return {
    ...(tier === undefined ? {} : { service_tier: tier }),
    ...(regionDefect(region) === undefined ? { region } : {}),
  };
}

function refused(id: string | null, field: string, message: string): ReadSpan {
  return { refusal: { id, field, message } };
}

function hexOf(value: unknown): string {
  return typeof value === 'string' ? value.toLowerCase() : '';
}
