import { isRecord } from './field-reader.js';
import { CountDefect, withPlainCounts } from './usage-counts.js';
import type { EventTokens } from './usage-event.js';

type Part = Readonly<Record<string, unknown>>;

/**
 * Fields that only usage objects of the AI SDK have. `inputTokens` and `outputTokens` are not listed, because Amazon's
 * usage objects have them too.
 */
const OWN_FIELDS = ['cachedInputTokens', 'reasoningTokens', 'inputTokenDetails', 'outputTokenDetails'];
const COUNTS = new Set([
  ...['inputTokens', 'outputTokens', 'cachedInputTokens', 'reasoningTokens', 'total', 'cacheRead', 'cacheWrite'],
  ...['reasoning', 'cacheReadTokens', 'cacheWriteTokens'],
]);
const NONE: Part = {};

/**
 * Token counts from a usage object of Vercel's AI SDK, for any provider. Models since version 4 of their interface use
 * `{ inputTokens: { total, cacheRead, … }, … }`. Functions use the flat `{ inputTokens, cachedInputTokens, … }` or `{
 * inputTokens, inputTokenDetails, … }`. Input includes cached tokens, output includes reasoning. Undefined for other
 * objects.
 */
export function aiSdkTokens(usage: Part): EventTokens | CountDefect | undefined {
  const isNested = isRecord(usage['inputTokens']) && isRecord(usage['outputTokens']);
  if (!isNested && !OWN_FIELDS.some(field => field in usage)) return undefined;
  const counts = withPlainCounts(usage, COUNTS);
  if (counts instanceof CountDefect) return counts;
  const [input, output] = [partOf(counts['inputTokens']), partOf(counts['outputTokens'])];
  const [inputDetails, outputDetails] = [partOf(counts['inputTokenDetails']), partOf(counts['outputTokenDetails'])];
  const total = countOf(input['total'], isNested ? undefined : counts['inputTokens']);
  const written = countOf(output['total'], isNested ? undefined : counts['outputTokens']);
  if (total === undefined) return new CountDefect('inputTokens', undefined);
  if (written === undefined) return new CountDefect('outputTokens', undefined);
  return {
    input_tokens: total,
    output_tokens: written,
    cache_read_tokens: countOf(input['cacheRead'], inputDetails['cacheReadTokens'], counts['cachedInputTokens']) ?? 0,
    cache_write_tokens: countOf(input['cacheWrite'], inputDetails['cacheWriteTokens']) ?? 0,
    reasoning_tokens: countOf(output['reasoning'], outputDetails['reasoningTokens'], counts['reasoningTokens']) ?? 0,
  };
}

function partOf(value: unknown): Part {
  return isRecord(value) ? value : NONE;
}

/** The first value that is a valid token count. */
function countOf(...values: unknown[]): number | undefined {
  return values.find(value => typeof value === 'number');
}
