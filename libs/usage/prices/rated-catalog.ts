import { PricingCatalog, type ServiceTier } from '#core';

/** A request before it is made, with how much it may use at most. */
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

/** A catalogue that knows its rates, and so the most that a request may cost without a quote of every way to bill it. */
export abstract class RatedCatalog extends PricingCatalog {
  /**
   * The dearest of all quotes for a request, in picodollars, whichever classes its tokens turn out to be of; 0 where the
   * model has no price for the tier. Undefined where only quotes can tell.
   */
  abstract ceiling(request: EstimatedRequest): bigint | undefined;
}
