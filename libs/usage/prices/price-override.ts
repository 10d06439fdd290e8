import { BadRequestError, type FieldError, type ServiceTier } from '#core';
import { ModelPattern } from './model-pattern.js';
import { ratePerMillion, type Rate, type RateCard } from './rate-card.js';

/** A price that an organization agreed on, in US dollars per million tokens: decimal text, or a number. */
export interface PriceOverride {
  /** Provider label as events carry it, compared without case; null for every provider. */
  provider: string | null;
  /** Model name, or a pattern with `*`. */
  model: string;
  inputPerMillionUsd: string | number;
  outputPerMillionUsd: string | number;
  /** Default: the price of input. */
  cacheReadPerMillionUsd?: string | number | null | undefined;
  cacheWritePerMillionUsd?: string | number | null | undefined;
  /** Default: the price of output. */
  reasoningPerMillionUsd?: string | number | null | undefined;
  /** The tier to which the price applies. Default: standard. */
  serviceTier?: ServiceTier | undefined;
  /** The provider's region to which the price applies, compared without case. Default: every region. */
  region?: string | null | undefined;
  /** Start of validity; null if the price has no start. */
  effectiveFrom?: Date | null | undefined;
  /** The version of the price, which events with this price store. */
  version: string;
}

/** An organization's own name for a catalogue model, such as the nickname of a deployment. */
export interface ModelAlias {
  /** Provider label as events carry it, compared without case; null for every provider. */
  provider: string | null;
  /** Model name, or a pattern with `*`. */
  model: string;
  targetProvider: string;
  targetModel: string;
}

/** An override, prepared for pricing events. */
export interface CompiledOverride {
  provider: string | null;
  pattern: ModelPattern;
  serviceTier: ServiceTier;
  /** The normalized region, for comparisons; null for every region. */
  region: string | null;
  effectiveFrom: number;
  card: RateCard;
  version: string;
}

/** Maximum price, in US dollars per million tokens: one dollar per token. */
export const MAX_PRICE_PER_MILLION_USD = 1_000_000;

const MAX_RATE = BigInt(MAX_PRICE_PER_MILLION_USD) * 10n ** 12n;
const FIELDS = {
  input: ['input_per_million_usd', 'inputPerMillionUsd'],
  output: ['output_per_million_usd', 'outputPerMillionUsd'],
  cacheRead: ['cache_read_per_million_usd', 'cacheReadPerMillionUsd'],
  cacheWrite: ['cache_write_per_million_usd', 'cacheWritePerMillionUsd'],
  reasoning: ['reasoning_per_million_usd', 'reasoningPerMillionUsd'],
} as const;

/**
 * Checks an override and prepares it for pricing.
 * @throws BadRequestError naming every price that is not a decimal with at most 12 places
 */
export function compileOverride(override: PriceOverride): CompiledOverride {
  const problems: FieldError[] = [];
  const card: RateCard = { perRequest: 0n };
  for (const tokenClass of ['input', 'output', 'cacheRead', 'cacheWrite', 'reasoning'] as const) {
    const [field, key] = FIELDS[tokenClass];
    const usd = override[key];
    if (usd === undefined || usd === null) continue;
    const rate = ratePerMillion(usd);
    if (rate === undefined || rate > MAX_RATE) problems.push({ field, message: PRICE_MESSAGE });
    else card[tokenClass] = flat(rate);
  }
  if (override.model.trim() === '') problems.push({ field: 'model', message: 'must name a model or a pattern with *' });
  const [first] = problems;
  if (first) throw new BadRequestError(`${first.field}: ${first.message}`, problems);
  return {
    provider: normalLabel(override.provider),
    pattern: new ModelPattern(override.model),
    serviceTier: override.serviceTier ?? 'standard',
    region: normalLabel(override.region ?? null),
    effectiveFrom: override.effectiveFrom?.getTime() ?? Number.NEGATIVE_INFINITY,
    card,
    version: override.version,
  };
}

const PRICE_MESSAGE = `must be US dollars per million tokens from 0 to ${MAX_PRICE_PER_MILLION_USD}, with at most 12 decimals`;

/** A provider label in the form in which labels are compared. */
export function normalLabel(provider: string): string;
export function normalLabel(provider: string | null): string | null;
export function normalLabel(provider: string | null): string | null {
  return provider === null ? null : provider.trim().toLowerCase();
}

function flat(base: bigint): Rate {
  return { base, tiers: [] };
}
