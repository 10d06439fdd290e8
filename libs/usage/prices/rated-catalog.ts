import { PricingCatalog, type ServiceTier } from '#core';

/** A request not yet sent, with its maximum token counts. */
export interface EstimatedRequest {
  readonly provider: string;
  readonly model: string;
  readonly at: Date;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The tier of the request. Default: standard. */
  readonly serviceTier?: ServiceTier | undefined;
  readonly region?: string | null | undefined;
}

/**
 * A catalogue with rates. It computes the maximum cost of a request from the rates, without a quote for each way to
 * bill the request.
 */
export abstract class RatedCatalog extends PricingCatalog {
  /**
   * The highest possible quote for a request in picodollars, over all distributions of its tokens over the token
   * classes. 0 if the model has no price for the tier. Undefined if only quotes can determine it.
   */
  abstract ceiling(request: EstimatedRequest): bigint | undefined;
}
