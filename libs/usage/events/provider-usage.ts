import { extractUsage, findProvider, type Provider, type Usage, type UsageExtractor } from '@pydantic/genai-prices';
import { BoundedCache, modelKey } from '../prices/bounded-cache.js';
import { findCatalogProvider } from '../prices/provider-labels.js';
import { aiSdkTokens } from './ai-sdk-usage.js';
import { isRecord } from './field-reader.js';
import { CountDefect, countFields, withPlainCounts } from './usage-counts.js';
import type { EventTokens } from './usage-event.js';
import { shapeOf } from './usage-shape.js';

/** The provider's usage object is not readable; `field` is `usage` or `api_flavor`. */
export class UsageDefect {
  constructor(
    readonly field: 'usage' | 'api_flavor',
    readonly message: string,
  ) {}
}

interface Candidate {
  provider: Provider;
  extractor: UsageExtractor;
}

/** How to read counts from usage objects of one shape. */
interface Reading {
  candidate: Candidate;
  /** Number of steps of the extractor's root path that lie above the usage object. */
  depth: number;
}

/** The extractors for the usage objects of a provider. */
interface Readers {
  /** Extractors to try first, then the fallbacks. */
  choices: Candidate[][];
  /** The fields from which the extractors read counts. */
  fields: ReadonlySet<string>;
  /**
   * Cached by shape: how to read a usage object; null if no extractor fits. One extractor fits all usage objects of a
   * shape.
   */
  readings: BoundedCache<Reading | null>;
}

const READERS = new BoundedCache<Readers>(256);
/** Maximum number of cached shapes per provider. A provider has only a few shapes. */
const SHAPES = 32;
const CLASS_KEYS = new Set([
  'input_tokens',
  'output_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'output_reasoning_tokens',
]);
// Common API shapes. Providers without their own API shape, such as gateways, use one of these.
const COMMON_SHAPES = ['openai', 'anthropic', 'google', 'aws'];
// Cohere reports the number of processed tokens in addition to the number of billed tokens.
const BILLED_FLAVOR = new Map([['cohere', 'default']]);
const MAX_NAME = 100;

/**
 * Token counts from a provider's usage object, from the response that contains it, or from a usage object of Vercel's
 * AI SDK. A flavor is the format of an API's usage objects. Anthropic, for example, counts cached tokens separately
 * from the input, and OpenAI counts them as part of it. Without a stated flavor, the provider's flavor that recognizes
 * the most fields is used, the first one on a tie. If no flavor of the provider fits, the common flavors are tried.
 */
export function readProviderUsage(
  usage: unknown,
  label: string,
  model: string,
  flavor: string | undefined,
): EventTokens | UsageDefect {
  if (!isRecord(usage)) return new UsageDefect('usage', "must be the provider's usage object");
  const ofAiSdk = flavor === undefined ? aiSdkTokens(usage) : undefined;
  if (ofAiSdk) return ofAiSdk instanceof CountDefect ? notACount(ofAiSdk) : ofAiSdk;
  const own = findCatalogProvider(label) ?? findProvider({ modelId: model.toLowerCase() });
  const { choices, fields, readings } = READERS.get(modelKey(own?.id ?? '', flavor ?? ''), () =>
    readersOf(own, flavor),
  );
  const [first] = choices;
  if (!first) return new UsageDefect('api_flavor', `is unknown; use one of: ${flavorsOf(own)}`);
  const counts = withPlainCounts(own?.id === 'mistral' ? withCachedPrompt(usage) : usage, fields);
  if (counts instanceof CountDefect) return notACount(counts);
  const shape = shapeOf(counts);
  const find = (): Reading | null => readingOf(choices, counts);
  const reading = shape === undefined ? find() : readings.get(shape, find);
  const read = reading ? extractedBy(reading, counts) : undefined;
  if (read) return toTokens(read);
  const names = [...new Set(first.map(candidate => candidate.extractor.api_flavor))].join(', ');
  return new UsageDefect('usage', `is not a usage object of flavor ${names}; name its api_flavor or send token counts`);
}

/**
 * Mistral reports cached tokens in a field of its own. Some answers have OpenAI's field too. The extractors read only
 * OpenAI's field.
 */
function withCachedPrompt(usage: Record<string, unknown>): Record<string, unknown> {
  const inner = usage['usage'];
  if (isRecord(inner)) return { ...usage, usage: withCachedPrompt(inner) };
  const { num_cached_tokens: cached, prompt_tokens_details: details } = usage;
  if (cached === undefined || cached === null) return usage;
  const stated = isRecord(details) ? details : {};
  return { ...usage, prompt_tokens_details: { ...stated, cached_tokens: stated['cached_tokens'] ?? cached } };
}

/** If the sender has named a flavor, only that flavor is tried. Otherwise, the common flavors are tried too. */
function readersOf(own: Provider | undefined, flavor: string | undefined): Readers {
  const ofOwn = own === undefined ? [] : candidatesOf(own, flavor);
  const common = flavor === undefined || ofOwn.length === 0 ? commonCandidates(flavor) : [];
  const choices = [ofOwn, common].filter(candidates => candidates.length > 0);
  const fields = countFields(choices.flat().map(candidate => candidate.extractor));
  return { choices, fields, readings: new BoundedCache(SHAPES) };
}

function notACount({ path, found }: CountDefect): UsageDefect {
  const [name, value] = [path, String(found)].map(text => text.slice(0, MAX_NAME).toWellFormed().replaceAll('\0', ''));
  return new UsageDefect(
    'usage',
    `holds ${JSON.stringify(value)} as ${name}, which must be a whole number of 0 or more`,
  );
}

function candidatesOf(provider: Provider, flavor: string | undefined): Candidate[] {
  const extractors = provider.extractors ?? [];
  const wanted = flavor === undefined ? extractors : extractors.filter(extractor => extractor.api_flavor === flavor);
  return wanted.map(extractor => ({ provider, extractor }));
}

function commonCandidates(flavor: string | undefined): Candidate[] {
  return COMMON_SHAPES.flatMap(id => {
    const provider = findProvider({ providerId: id });
    return provider ? candidatesOf(provider, flavor) : [];
  });
}

function flavorsOf(own: Provider | undefined): string {
  const extractors = own?.extractors ?? commonCandidates(undefined).map(candidate => candidate.extractor);
  return [...new Set(extractors.map(extractor => extractor.api_flavor))].join(', ');
}

function readingOf(choices: readonly Candidate[][], usage: Record<string, unknown>): Reading | null {
  for (const candidates of choices) {
    const best = bestOf(candidates, usage);
    if (best) return best;
  }
  return null;
}

function bestOf(candidates: readonly Candidate[], usage: Record<string, unknown>): Reading | undefined {
  let best: Reading | undefined;
  let most = 0;
  for (const candidate of candidates) {
    for (const depth of placements(candidate.extractor, usage)) {
      const reading = { candidate, depth };
      const extracted = extractedBy(reading, usage);
      if (!extracted) continue;
      if (BILLED_FLAVOR.get(candidate.provider.id) === candidate.extractor.api_flavor) return reading;
      const fields = Object.keys(extracted).length;
      if (fields > most) {
        best = reading;
        most = fields;
      }
      break;
    }
  }
  return best;
}

function extractedBy({ candidate, depth }: Reading, usage: Record<string, unknown>): Usage | undefined {
  const { provider, extractor } = candidate;
  const response = stepsOf(extractor)
    .slice(0, depth)
    .reduceRight<unknown>((inner, step) => ({ [step]: inner }), usage);
  try {
    return extractUsage(provider, response, extractor.api_flavor).usage;
  } catch {
    // The package throws if the usage object has another shape, or if a count is not a number.
    return undefined;
  }
}

/**
 * Depths at which the usage object may lie in a response: at the innermost step of the extractor's root, at each step
 * above it, and last as the whole response. Depths at which the extractor would fail are omitted, because it throws on
 * failure, which is slow.
 */
function* placements(extractor: UsageExtractor, usage: Record<string, unknown>): Generator<number> {
  const steps = stepsOf(extractor);
  const required = extractor.mappings.filter(mapping => mapping.required).map(mapping => [mapping.path].flat()[0]);
  for (let depth = steps.length; depth >= 0; depth--) {
    const missing = steps[depth];
    const fits =
      missing === undefined
        ? required.every(key => typeof key !== 'string' || usage[key] !== undefined)
        : isRecord(usage[missing]);
    if (fits) yield depth;
  }
}

function stepsOf({ root }: UsageExtractor): string[] {
  return [root].flat().filter(step => typeof step === 'string');
}

function toTokens(usage: Usage): EventTokens {
  const units: Record<string, number> = {};
  for (const [key, count] of Object.entries(usage)) {
    if (count !== undefined && count > 0 && !CLASS_KEYS.has(key)) units[key] = count;
  }
  const tokens: EventTokens = {
    input_tokens: usage['input_tokens'] ?? 0,
    output_tokens: usage['output_tokens'] ?? 0,
    cache_read_tokens: usage['cache_read_tokens'] ?? 0,
    cache_write_tokens: usage['cache_write_tokens'] ?? 0,
    reasoning_tokens: usage['output_reasoning_tokens'] ?? 0,
  };
  return Object.keys(units).length > 0 ? { ...tokens, units } : tokens;
}
