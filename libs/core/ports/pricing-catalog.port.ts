import type { ServiceTier } from '../service-tier.js';

/** Usage of one request, as input of prices. Input includes cached tokens, output includes reasoning. */
export interface PricedTokens {
  input_tokens: number;
  output_tokens: number;
  cache_read_tokens?: number | undefined;
  cache_write_tokens?: number | undefined;
  reasoning_tokens?: number | undefined;
  /**
   * What else the provider counted, above zero, by the usage keys of genai-prices: `web_searches`, `input_audio_tokens`.
   * Those of tokens are among the counts above. Known only where the provider's own usage object was reported.
   */
  units?: Readonly<Record<string, number>> | undefined;
}

/** One request to be priced; never a sum of several, because prices have tiers per request. */
export interface PriceRequest {
  provider: string;
  model: string;
  /** When the request happened: the price in force then applies. */
  at: Date;
  tokens: PricedTokens;
  /** The tier that served the request. Default: standard. */
  serviceTier?: ServiceTier | undefined;
  /** The provider's region that served the request, compared without case; null or missing if it is not known. */
  region?: string | null | undefined;
}

/** A price with its origin, so that a figure can be explained later. */
export interface PriceQuote {
  /** US dollars, in units of 10⁻¹² (picodollars), so that sums are exact. */
  picodollars: bigint;
  /** The price before discounts. Default: the same. */
  listPicodollars?: bigint | undefined;
  /** Name of the catalogue or `override`. */
  source: string;
  /** Version of the catalogue or of the override. */
  version: string;
}

/** Prices requests. The default reads the genai-prices catalogue; organizations add overrides. */
export abstract class PricingCatalog {
  /**
   * The price of one request, or null where the model is not priced. Called once per usage event, must not do I/O.
   * Throw nothing for unknown models: null means "unpriced", and the event is counted as such. A model without a price
   * for the tier is unpriced too, never priced at the standard tier. A region without a price of its own has the price
   * of the model.
   */
  abstract quote(request: PriceRequest): PriceQuote | null;

  /** A short text naming the provider and model as the catalogue knows them, or null. Used to list unpriced models. */
  abstract identify(provider: string, model: string): string | null;
}
