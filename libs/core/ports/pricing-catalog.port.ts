import type { ServiceTier } from '../service-tier.js';

/** Usage of one request that is priced. Input includes cached tokens, output includes reasoning tokens. */
export interface PricedTokens {
  input_tokens: number;
  output_tokens: number;
  cache_read_tokens?: number | undefined;
  cache_write_tokens?: number | undefined;
  reasoning_tokens?: number | undefined;
  /**
   * Further counts of the provider above zero, with the usage keys of genai-prices: `web_searches`,
   * `input_audio_tokens`. Token counts here are already included in the fields above. Known only if the provider's own
   * usage object was reported.
   */
  units?: Readonly<Record<string, number>> | undefined;
}

/** One request to be priced. Do not price the sum of several requests, because price tiers apply per request. */
export interface PriceRequest {
  provider: string;
  model: string;
  /** Time of the request, which determines the price. */
  at: Date;
  tokens: PricedTokens;
  /** The tier that served the request. Default: standard. */
  serviceTier?: ServiceTier | undefined;
  /** The provider's region that served the request, compared case-insensitively; null or missing if unknown. */
  region?: string | null | undefined;
}

/** A price with its source, so that the price can be explained later. */
export interface PriceQuote {
  /** US dollars, in units of 10⁻¹² (picodollars), so that sums are exact. */
  picodollars: bigint;
  /** The price before discounts. Default: the price itself. */
  listPicodollars?: bigint | undefined;
  /** Name of the catalog, or `override`. */
  source: string;
  /** Version of the catalog or of the override. */
  version: string;
}

/** Prices requests. The default uses the genai-prices catalog with the overrides of the organization. */
export abstract class PricingCatalog {
  /**
   * The price of one request; null if the model has no price. Called once per usage event; must not do I/O. Do not
   * throw for unknown models. Null means "unpriced", and the event is counted as unpriced. If a model has no price for
   * the requested tier, it is unpriced; the standard price does not apply. If a region has no price of its own, the
   * price of the model applies.
   */
  abstract quote(request: PriceRequest): PriceQuote | null;

  /** The catalog's name of provider and model; null if unknown. Used to list models without a price. */
  abstract identify(provider: string, model: string): string | null;
}
