import { PricingCatalog, type ServiceTier } from '#core';

/** A request not yet sent, with its maximum token counts. */
export interface EstimatedRequest {
  readonly provider: string;
  readonly model: string;
  readonly at: Date;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Default: standard. */
  readonly serviceTier?: ServiceTier | undefined;
  readonly region?: string | null | undefined;
}

/** A catalogue with rates: computes the maximum cost of a request without a quote for each way to bill it. */
export abstract class RatedCatalog extends PricingCatalog {
  /**
   * The highest possible quote for a request in picodollars, for any distribution of its tokens over the classes. 0 if
   * the model has no price for the tier. Undefined if it can be computed from quotes only.
   */
  abstract ceiling(request: EstimatedRequest): bigint | undefined;
}
