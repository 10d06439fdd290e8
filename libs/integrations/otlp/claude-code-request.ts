import { isStorableText } from '#core';
import { CLAUDE_CODE, CLAUDE_CODE_PERSON, countsByMetrics } from './claude-code-names.js';
import { plainOf, type Attributes, type Received } from './otlp-json.js';
import {
  dimensionsIn,
  notesOf,
  personIn,
  timeOf,
  withoutPerson,
  type Report,
  type TelemetryContext,
} from './report.js';

const ID_MAX = 200;
const MICRODOLLARS = 1_000_000;
/** Dollars are stored with twelve decimals. */
const COST_DECIMALS = 12;

/** Whether a span of Claude Code is a request to the API. */
export function isClaudeCodeSpan({ item }: Received): boolean {
  return item['name'] === CLAUDE_CODE.requestSpan;
}

/**
 * Reads a span of Claude Code. The log event of the same request has the same id; whichever arrives first is counted. A
 * span without such an id is ignored, because it could not be matched with the log event.
 */
export function readClaudeCodeSpan({ item, ...received }: Received, at: number, telemetry: TelemetryContext): Report[] {
  const { attributes } = received;
  const id = requestIdOf(attributes);
  if (id === undefined || !attributes.has('output_tokens')) return [];
  return readRequest({ ...received, id, time: timeOf(item['endTimeUnixNano']) }, at, telemetry);
}

/** Reads the log events of Claude Code about requests to the API. All other log records are ignored. */
export function reportsOfLogs(records: readonly Received[], telemetry: TelemetryContext): Report[] {
  return records.flatMap(({ item, ...received }, at): Report[] => {
    const name = item['eventName'] || plainOf(item['body']);
    if (name !== CLAUDE_CODE.requestEvent) return [];
    const { attributes } = received;
    const id = requestIdOf(attributes) ?? placeInSession(attributes);
    if (id === undefined) {
      const message = 'is missing, and so are client_request_id, and session.id with event.sequence';
      return [{ from: [at], refusal: { id: null, field: 'request_id', message } }];
    }
    const time = attributes.get('event.timestamp') ?? timeOf(item['timeUnixNano']);
    return readRequest({ ...received, id, time }, at, telemetry);
  });
}

interface Request extends Omit<Received, 'item'> {
  readonly id: string;
  readonly time: unknown;
}

function readRequest({ id, time, attributes, resource }: Request, at: number, telemetry: TelemetryContext): Report[] {
  if (countsByMetrics(attributes, resource)) return [];
  const person = personIn(attributes, CLAUDE_CODE_PERSON) ?? personIn(resource, CLAUDE_CODE_PERSON) ?? telemetry.sender;
  if (!person) return [{ from: [at], ...withoutPerson(id, CLAUDE_CODE_PERSON) }];
  const event = {
    id,
    ...person,
    provider: 'anthropic',
    model: attributes.get('model'),
    occurred_at: time,
    ...countsOf(attributes),
    // Fast mode has prices of its own, which the catalog does not contain.
    ...(attributes.get('speed') === 'fast' ? { service_tier: 'other' } : {}),
    ...(telemetry.countsReportedCost ? costOf(attributes) : {}),
    ...dimensionsIn({ attributes, resource }),
    metadata: {
      source: 'claude-code',
      ...notesOf({
        session: attributes.get('session.id'),
        prompt: attributes.get('prompt.id'),
        subsystem: attributes.get('query_source'),
        agent: attributes.get('agent.name'),
        speed: attributes.get('speed'),
      }),
    },
  };
  return [{ from: [at], reportedTwice: true, event }];
}

/** Anthropic's id of the request, or Claude Code's own id. Log events and spans contain the same ids. */
function requestIdOf(attributes: Attributes): string | undefined {
  for (const name of ['request_id', 'client_request_id']) {
    const id = attributes.get(name);
    if (typeof id === 'string' && id !== '' && id.length <= ID_MAX && isStorableText(id)) return `claude-code:${id}`;
  }
  return undefined;
}

function placeInSession(attributes: Attributes): string | undefined {
  const [session, sequence] = [attributes.get('session.id'), attributes.get('event.sequence')];
  const isText = typeof session === 'string' && session !== '' && session.length <= ID_MAX && isStorableText(session);
  return isText && typeof sequence === 'number' ? `claude-code:${session}:${sequence}` : undefined;
}

/** Claude Code's count of input tokens does not include tokens that were read from or written to a cache. */
function countsOf(attributes: Attributes): object {
  const [input = 0, read = 0, write = 0] = ['input_tokens', 'cache_read_tokens', 'cache_creation_tokens'].map(name =>
    attributes.get(name),
  );
  const isAllNumbers = typeof input === 'number' && typeof read === 'number' && typeof write === 'number';
  return {
    input_tokens: isAllNumbers ? input + read + write : input,
    output_tokens: attributes.get('output_tokens') ?? 0,
    ...(read === 0 ? {} : { cache_read_tokens: read }),
    ...(write === 0 ? {} : { cache_write_tokens: write }),
  };
}

function costOf(attributes: Attributes): object {
  const [micros, dollars] = [attributes.get('cost_usd_micros'), attributes.get('cost_usd')];
  if (typeof micros === 'number') return { cost_usd: (micros / MICRODOLLARS).toFixed(COST_DECIMALS) };
  return typeof dollars === 'number' ? { cost_usd: dollars.toFixed(COST_DECIMALS) } : {};
}
