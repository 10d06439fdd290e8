import type { PriceQuote, PriceRequest, PricingCatalog } from '#core';
import { BoundedCache, modelKey } from './bounded-cache.js';
import { ModelPattern } from './model-pattern.js';
import { toScaled } from './money.js';
import { normalLabel } from './price-override.js';
import { RatedCatalog, type EstimatedRequest } from './rated-catalog.js';
import { applies, bySpecificity, type Matcher } from './specificity.js';

/** A discount that an organization agreed on. */
export interface ContractDiscount {
  /** Provider label as in events, compared without case; null for every provider. */
  provider: string | null;
  /** Model name, or a pattern with `*`. */
  model: string;
  /** Percentage from 0 to 100, as decimal text with at most {@link PERCENT_DECIMALS} places. */
  percentOff: string;
  /** Start of the discount; null if it has none. */
  effectiveFrom: Date | null;
  /** End of the discount, exclusive; null if it has none. */
  effectiveUntil: Date | null;
}

interface CompiledDiscount extends Matcher {
  from: number;
  until: number;
  /** The share of the price that remains to be paid, in parts of {@link WHOLE}. */
  left: bigint;
}

/** Maximum number of decimal places of a percentage. */
export const PERCENT_DECIMALS = 6;

const WHOLE = 100n * 10n ** BigInt(PERCENT_DECIMALS);
const CACHED_MODELS = 1_024;

/** A percentage from 0 to 100 in units of 10⁻⁶ percent; undefined for anything else. */
export function percentParts(percent: string | number): bigint | undefined {
  const parts = toScaled(percent, PERCENT_DECIMALS);
  return parts !== undefined && parts <= WHOLE ? parts : undefined;
}

/**
 * A catalogue with an organization's discounts. Only the most specific discount in force applies. An exact model comes
 * before a pattern, a pattern with more fixed characters before one with fewer, a named provider before every provider,
 * and then the latest `effectiveFrom`. The cost of each request is computed exactly and rounded once, half up to the
 * picodollar. Immutable.
 * @throws RangeError from the constructor if a percentage is invalid
 */
export class DiscountedCatalog extends RatedCatalog {
  private readonly discounts: CompiledDiscount[];
  private readonly matching = new BoundedCache<CompiledDiscount[]>(CACHED_MODELS);

  constructor(
    private readonly base: PricingCatalog,
    discounts: readonly ContractDiscount[],
  ) {
    super();
    this.discounts = discounts.map(compile).sort((a, b) => bySpecificity(a, b) || b.from - a.from);
  }

  quote(request: PriceRequest): PriceQuote | null {
    const list = this.base.quote(request);
    const discount = list && this.inForce(request);
    if (!discount) return list;
    const { picodollars } = list;
    return { ...list, picodollars: reduced(picodollars, discount), listPicodollars: picodollars };
  }

  /** See {@link RatedCatalog}. Undefined if the underlying catalogue has no rates. */
  ceiling(request: EstimatedRequest): bigint | undefined {
    const list = this.base instanceof RatedCatalog ? this.base.ceiling(request) : undefined;
    const discount = list === undefined ? undefined : this.inForce(request);
    // The maximum can be computed before the discount, because one discount applies to all ways to bill the request.
    return list !== undefined && discount ? reduced(list, discount) : list;
  }

  identify(provider: string, model: string): string | null {
    return this.base.identify(provider, model);
  }

  private inForce({ provider, model, at }: Pick<PriceRequest, 'provider' | 'model' | 'at'>) {
    const time = at.getTime();
    const all = this.matching.get(modelKey(provider, model), () =>
      this.discounts.filter(discount => applies(discount, provider, model)),
    );
    return all.find(({ from, until }) => from <= time && time < until);
  }
}

function compile({ provider, model, percentOff, effectiveFrom, effectiveUntil }: ContractDiscount): CompiledDiscount {
  const off = percentParts(percentOff);
  if (off === undefined) throw new RangeError(`${percentOff} is not a percentage from 0 to 100`);
  return {
    provider: normalLabel(provider),
    pattern: new ModelPattern(model),
    from: effectiveFrom?.getTime() ?? Number.NEGATIVE_INFINITY,
    until: effectiveUntil?.getTime() ?? Number.POSITIVE_INFINITY,
    left: WHOLE - off,
  };
}

function reduced(picodollars: bigint, { left }: CompiledDiscount): bigint {
  return (picodollars * left + WHOLE / 2n) / WHOLE;
}
