import { extractUsage, findProvider, type Provider, type Usage, type UsageExtractor } from '@pydantic/genai-prices';
import { findCatalogProvider } from '../prices/provider-labels.js';
import { isRecord } from './field-reader.js';
import type { EventTokens } from './usage-event.js';

/** The provider's usage object cannot be read; `field` is `usage` or `api_flavor`. */
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

const CLASS_KEYS = new Set([
  'input_tokens',
  'output_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'output_reasoning_tokens',
]);
// Providers without an API of their own shape speak one of these.
const COMMON_SHAPES = ['openai', 'anthropic'];

/**
 * Token counts from a provider's own usage object, as the provider sent it (the object itself, or the response around
 * it). Without a flavor, the provider's flavor that recognizes the most fields is taken, the first one of equals:
 * Anthropic reports cached tokens beside the input, OpenAI inside it, and only the right reader adds them up.
 */
export function readProviderUsage(
  usage: unknown,
  label: string,
  model: string,
  flavor: string | undefined,
): EventTokens | UsageDefect {
  if (!isRecord(usage)) return new UsageDefect('usage', "must be the provider's usage object");
  const providers = providersFor(label, model);
  const readable = providers.map(provider => candidatesOf(provider, flavor)).find(list => list.length > 0);
  if (!readable) return new UsageDefect('api_flavor', `is unknown; use one of: ${flavorsOf(providers)}`);
  let best: Usage | undefined;
  for (const candidate of readable) {
    const extracted = extract(candidate, usage);
    if (extracted && Object.keys(extracted).length > Object.keys(best ?? {}).length) best = extracted;
  }
  if (best) return toTokens(best);
  const names = readable.map(candidate => candidate.extractor.api_flavor).join(', ');
  return new UsageDefect('usage', `is not a usage object of flavor ${names}; name its api_flavor or send token counts`);
}

function providersFor(label: string, model: string): Provider[] {
  const found = findCatalogProvider(label) ?? findProvider({ modelId: model.toLowerCase() });
  const common = COMMON_SHAPES.map(id => findProvider({ providerId: id }));
  return [found, ...common].filter(provider => provider !== undefined);
}

function candidatesOf(provider: Provider, flavor: string | undefined): Candidate[] {
  const extractors = provider.extractors ?? [];
  const wanted = flavor === undefined ? extractors : extractors.filter(extractor => extractor.api_flavor === flavor);
  return wanted.map(extractor => ({ provider, extractor }));
}

function flavorsOf(providers: Provider[]): string {
  const own = providers.find(provider => (provider.extractors ?? []).length > 0);
  return (own?.extractors ?? []).map(extractor => extractor.api_flavor).join(', ');
}

function extract({ provider, extractor }: Candidate, usage: Record<string, unknown>): Usage | undefined {
  for (const response of placements(extractor, usage)) {
    try {
      return extractUsage(provider, response, extractor.api_flavor).usage;
    } catch {
      // The package throws where the object has another shape or a count is no number.
    }
  }
  return undefined;
}

/**
 * The responses that the usage object may be a part of: set in at the innermost step of the extractor's root, at each
 * step above it, and last as the whole response. Those that cannot succeed are left out, because a throw is slow.
 */
function* placements({ root, mappings }: UsageExtractor, usage: Record<string, unknown>): Generator {
  const steps = (Array.isArray(root) ? root : [root]).filter(step => typeof step === 'string');
  const required = mappings.filter(mapping => mapping.required).map(mapping => [mapping.path].flat()[0]);
  for (let depth = steps.length; depth >= 0; depth--) {
    const missing = steps[depth];
    const fits =
      missing === undefined
        ? required.every(key => typeof key !== 'string' || usage[key] !== undefined)
        : isRecord(usage[missing]);
    if (fits) yield steps.slice(0, depth).reduceRight<unknown>((inner, step) => ({ [step]: inner }), usage);
  }
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
