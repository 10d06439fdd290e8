import type { ServiceTier } from '../service-tier.js';

/** Usage of one request, as input of prices. Input includes cached tokens, output includes reasoning. */
export interface PricedTokens {
  input_tokens: number;
  output_tokens: number;
  cache_read_tokens?: number | undefined;
  cache_write_tokens?: number | undefined;
  reasoning_tokens?: number | undefined;
  /**
   * Other counts of the provider, above zero, by the usage keys of genai-prices: `web_searches`, `input_audio_tokens`.
   * Token counts among them are already included above. Known only if the provider's own usage object was reported.
   */
  units?: Readonly<Record<string, number>> | undefined;
}

/** One request to be priced. Never a sum of several, because price tiers apply per request. */
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

/** A price with its source, so that it can be explained later. */
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
   * throw for unknown models: null means "unpriced", and the event is counted as such. A model without a price for the
   * tier is unpriced, not priced at the standard tier. A region without its own price has the price of the model.
   */
  abstract quote(request: PriceRequest): PriceQuote | null;

  /** The catalog's name of provider and model; null if unknown. Used to list unpriced models. */
  abstract identify(provider: string, model: string): string | null;
}
