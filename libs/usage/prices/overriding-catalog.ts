import type { PriceQuote, PriceRequest, PricingCatalog } from '#core';
import { BoundedCache, modelKey } from './bounded-cache.js';
import { ModelPattern } from './model-pattern.js';
import {
  compileOverride,
  normalLabel,
  type CompiledOverride,
  type ModelAlias,
  type PriceOverride,
} from './price-override.js';
import { ceilingOf, costOf } from './rate-card.js';
import { RatedCatalog, type EstimatedRequest } from './rated-catalog.js';
import { applies, bySpecificity, type Matcher } from './specificity.js';

interface Resolution {
  /**
   * Overrides for the reported model, then overrides for the target of its alias. The first override in force applies.
   */
  overrides: CompiledOverride[];
  /** Provider and model with which the base catalogue is queried. */
  provider: string;
  model: string;
}

const CACHED_MODELS = 1_024;

/**
 * One organization's prices on top of a catalogue. The most specific override in force wins. An exact model comes
 * before a pattern, a pattern with more fixed characters before one with fewer, a named provider before every provider,
 * a named region before every region, and then the latest `effectiveFrom`. An override applies to one tier, an alias to
 * all tiers. The target of an alias is a model, never another alias. Immutable: create a new catalogue when the
 * organization's prices change.
 * @throws BadRequestError from the constructor if a price is invalid
 */
export class OverridingCatalog extends RatedCatalog {
  private readonly overrides: CompiledOverride[];
  private readonly aliases: (Matcher & { alias: ModelAlias })[];
  private readonly resolutions = new BoundedCache<Resolution>(CACHED_MODELS);

  constructor(
    private readonly base: PricingCatalog,
    overrides: readonly PriceOverride[],
    aliases: readonly ModelAlias[] = [],
  ) {
    super();
    this.overrides = overrides
      .map(compileOverride)
      .sort((a, b) => bySpecificity(a, b) || byRegion(a, b) || b.effectiveFrom - a.effectiveFrom);
    this.aliases = aliases
      .map(alias => ({ provider: normalLabel(alias.provider), pattern: new ModelPattern(alias.model), alias }))
      .sort(bySpecificity);
  }

  quote(request: PriceRequest): PriceQuote | null {
    const resolution = this.resolve(request.provider, request.model);
    const override = inForce(resolution, request);
    if (override) {
      return { picodollars: costOf(override.card, request.tokens), source: 'override', version: override.version };
    }
    return this.base.quote({ ...request, provider: resolution.provider, model: resolution.model });
  }

  /**
   * See {@link RatedCatalog}. Undefined if the underlying catalogue has no rates, and for a subclass that overrides the
   * quotes.
   */
  ceiling(request: EstimatedRequest): bigint | undefined {
    // If a subclass overrides the quotes, these rates do not determine the cost of a request.
    if (this.quote !== OverridingCatalog.prototype.quote) return undefined;
    const resolution = this.resolve(request.provider, request.model);
    const override = inForce(resolution, request);
    if (override) return ceilingOf(override.card, request.inputTokens, request.outputTokens);
    if (!(this.base instanceof RatedCatalog)) return undefined;
    return this.base.ceiling({ ...request, provider: resolution.provider, model: resolution.model });
  }

  identify(provider: string, model: string): string | null {
    const resolution = this.resolve(provider, model);
    const known = this.base.identify(resolution.provider, resolution.model);
    return known ?? (resolution.overrides.length > 0 ? `${resolution.provider}/${resolution.model}` : null);
  }

  private resolve(provider: string, model: string): Resolution {
    return this.resolutions.get(modelKey(provider, model), () => {
      const direct = this.overrides.filter(override => applies(override, provider, model));
      const alias = this.aliases.find(candidate => applies(candidate, provider, model))?.alias;
      if (!alias) return { overrides: direct, provider, model };
      const { targetProvider, targetModel } = alias;
      const behind = this.overrides.filter(override => applies(override, targetProvider, targetModel));
      return { overrides: [...direct, ...behind], provider: targetProvider, model: targetModel };
    });
  }
}

function inForce(
  { overrides }: Resolution,
  { at, serviceTier: tier = 'standard', region: named = null }: Pick<PriceRequest, 'at' | 'serviceTier' | 'region'>,
): CompiledOverride | undefined {
  if (overrides.length === 0) return undefined;
  const [time, region] = [at.getTime(), normalLabel(named)];
  return overrides.find(
    candidate =>
      candidate.effectiveFrom <= time &&
      candidate.serviceTier === tier &&
      (candidate.region === null || candidate.region === region),
  );
}

function byRegion(a: CompiledOverride, b: CompiledOverride): number {
  return Number(b.region !== null) - Number(a.region !== null);
}
