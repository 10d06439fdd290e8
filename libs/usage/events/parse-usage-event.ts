import {
  DimensionRefusal,
  isServiceTier,
  isStorableText,
  NO_DIMENSIONS,
  readDimensions,
  regionDefect,
  SERVICE_TIERS,
  type Dimensions,
} from '#core';
import { usdToPico } from '../prices/money.js';
import { FieldReader, isRecord } from './field-reader.js';
import { parseInstant } from './instant.js';
import { metadataText } from './metadata.js';
import { reportedTerms } from './provider-terms.js';
import { readProviderUsage } from './provider-usage.js';
import {
  DEFAULT_TIME_LIMITS,
  MAX_EVENT_COST_USD,
  MAX_EVENT_REQUESTS,
  MAX_EVENT_TOKENS,
  type EventTimeLimits,
  type EventTokens,
  type ParsedUsageEvent,
  type ParseResult,
} from './usage-event.js';

const TOKEN_FIELDS = [
  'input_tokens',
  'output_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'reasoning_tokens',
] as const;
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  ...TOKEN_FIELDS,
  'id',
  'user_id',
  'user_email',
  'provider',
  'model',
  'occurred_at',
  'requests',
  'usage',
  'api_flavor',
  'service_tier',
  'region',
  'cost_usd',
  'decision_id',
  'project',
  'tags',
  'metadata',
]);
const NO_TOKENS: EventTokens = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  reasoning_tokens: 0,
};
const REQUIRED_COUNT = { min: 0, max: MAX_EVENT_TOKENS };
const OPTIONAL_COUNT = { min: 0, max: MAX_EVENT_TOKENS, otherwise: 0 };
const REQUESTS = { min: 1, max: MAX_EVENT_REQUESTS, otherwise: 1 };
const MAX_NAME = 255;
const MAX_COST_PICODOLLARS = BigInt(MAX_EVENT_COST_USD) * 10n ** 12n;

/** Parses one usage event from its wire format. Never throws; the result names the first invalid field. */
export function parseUsageEvent(raw: unknown, now: Date, limits: EventTimeLimits = DEFAULT_TIME_LIMITS): ParseResult {
  if (!isRecord(raw)) return { ok: false, id: null, field: 'event', message: 'must be an object' };
  const read = new FieldReader(raw);
  const id = read.text('id', MAX_NAME);
  read.allowOnly(KNOWN_FIELDS);
  const event: ParsedUsageEvent = {
    id,
    userId: read.uuid('user_id'),
    userEmail: read.email('user_email'),
    provider: read.text('provider', MAX_NAME),
    model: read.text('model', MAX_NAME),
    occurredAt: readTime(read, now.getTime(), limits),
    tokens: NO_TOKENS,
    requests: read.count('requests', { ...REQUESTS, min: limits.leastRequests ?? REQUESTS.min }),
    ...readTerms(read),
    costPicodollars: readCost(read),
    decisionId: read.uuid('decision_id'),
    ...readDimensionsOf(read),
    metadataJson: readMetadata(read),
  };
  if (!read.has('user_id') && !read.has('user_email')) read.refuse('user_id', 'is missing; name user_id or user_email');
  if (!read.refusal) event.tokens = readTokens(read, event);
  return read.refusal ? { ok: false, id: id || null, ...read.refusal } : { ok: true, event };
}

function readTime(read: FieldReader, now: number, limits: EventTimeLimits): Date {
  const value = read.value('occurred_at');
  const at = typeof value === 'string' ? parseInstant(value) : undefined;
  if (at === undefined) {
    read.refuse('occurred_at', 'must be an ISO 8601 time with a time zone, such as 2026-11-20T13:00:00Z');
    return new Date(now);
  }
  if (limits.maxAgeMs !== null && now - at > limits.maxAgeMs) {
    read.refuse('occurred_at', `is more than ${limits.maxAgeMs / 86_400_000} days old`);
  }
  if (limits.maxAheadMs !== null && at - now > limits.maxAheadMs) {
    read.refuse('occurred_at', `is more than ${limits.maxAheadMs / 60_000} minutes ahead`);
  }
  return new Date(at);
}

/** Fields of the event override the same fields in the provider's usage object. */
function readTerms(read: FieldReader): Pick<ParsedUsageEvent, 'serviceTier' | 'region'> {
  const reported = reportedTerms(read.value('usage'));
  return {
    serviceTier: read.has('service_tier') ? readTier(read) : (reported.serviceTier ?? 'standard'),
    region: read.has('region') ? readRegion(read) : (reported.region ?? null),
  };
}

function readTier(read: FieldReader): ParsedUsageEvent['serviceTier'] {
  const value = read.value('service_tier');
  if (isServiceTier(value)) return value;
  read.refuse('service_tier', `must be one of ${SERVICE_TIERS.join(', ')}`);
  return 'standard';
}

function readRegion(read: FieldReader): string | null {
  const value = read.value('region');
  const defect = regionDefect(value);
  if (defect === undefined) return String(value).trim();
  read.refuse('region', defect);
  return null;
}

function readTokens(read: FieldReader, event: ParsedUsageEvent): EventTokens {
  const tokens = read.has('usage') ? readUsage(read, event) : readCounts(read);
  if (tokens.cache_read_tokens + tokens.cache_write_tokens > tokens.input_tokens) {
    const field = read.has('usage') ? 'usage' : 'input_tokens';
    read.refuse(field, 'must include the cached tokens: it is less than cache_read_tokens + cache_write_tokens');
  }
  if (tokens.reasoning_tokens > tokens.output_tokens) {
    const field = read.has('usage') ? 'usage' : 'output_tokens';
    read.refuse(field, 'must include the reasoning tokens: it is less than reasoning_tokens');
  }
  return tokens;
}

function readCounts(read: FieldReader): EventTokens {
  if (read.has('api_flavor')) read.refuse('api_flavor', 'is only valid with usage, which is missing');
  return {
    input_tokens: read.count('input_tokens', REQUIRED_COUNT),
    output_tokens: read.count('output_tokens', REQUIRED_COUNT),
    cache_read_tokens: read.count('cache_read_tokens', OPTIONAL_COUNT),
    cache_write_tokens: read.count('cache_write_tokens', OPTIONAL_COUNT),
    reasoning_tokens: read.count('reasoning_tokens', OPTIONAL_COUNT),
  };
}

function readUsage(read: FieldReader, event: ParsedUsageEvent): EventTokens {
  const conflicting = TOKEN_FIELDS.find(field => read.has(field));
  if (conflicting) read.refuse('usage', `cannot be combined with ${conflicting}; send either usage or token counts`);
  if (event.requests !== 1) read.refuse('requests', 'must be 1 with usage: a usage object describes one request');
  const flavor = read.has('api_flavor') ? read.text('api_flavor', MAX_NAME) : undefined;
  if (read.refusal) return NO_TOKENS;
  const tokens = readProviderUsage(read.value('usage'), event.provider, event.model, flavor);
  if ('message' in tokens) {
    read.refuse(tokens.field, tokens.message);
    return NO_TOKENS;
  }
  const isValid = (count: number) => Number.isInteger(count) && count >= 0 && count <= MAX_EVENT_TOKENS;
  if (!TOKEN_FIELDS.every(field => isValid(tokens[field]))) {
    read.refuse('usage', `must count tokens in whole numbers from 0 to ${MAX_EVENT_TOKENS}`);
  }
  return tokens;
}

function readCost(read: FieldReader): bigint | null {
  if (!read.has('cost_usd')) return null;
  const value = read.value('cost_usd');
  const pico = typeof value === 'number' || typeof value === 'string' ? usdToPico(value) : undefined;
  if (pico !== undefined && pico <= MAX_COST_PICODOLLARS) return pico;
  read.refuse('cost_usd', `must be US dollars from 0 to ${MAX_EVENT_COST_USD}, as text with at most 12 decimals`);
  return null;
}

function readDimensionsOf(read: FieldReader): Dimensions {
  if (!read.has('project') && !read.has('tags')) return NO_DIMENSIONS;
  const dimensions = readDimensions(read.value('project'), read.value('tags'));
  if (!(dimensions instanceof DimensionRefusal)) return dimensions;
  read.refuse(dimensions.field, dimensions.message);
  return NO_DIMENSIONS;
}

function readMetadata(read: FieldReader): string | null {
  if (!read.has('metadata')) return null;
  const text = metadataText(read.value('metadata'));
  if (typeof text === 'string') return text;
  read.refuse(isStorableText(text.path) ? text.path : 'metadata', text.message);
  return null;
}
