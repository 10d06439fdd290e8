import type { PricedTokens, PricingCatalog } from '#core';

/** A request before it is made, with how much it may use at most. */
export interface EstimatedRequest {
  readonly provider: string;
  readonly model: string;
  readonly at: Date;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

type Classes = Partial<PricedTokens>;

/**
 * What a request may cost at most, in picodollars: the dearest way to bill its tokens, with all input plain, read from
 * a cache or written to one, and all output plain or reasoning. 0 where the model has no price.
 */
export function dearestCost(catalog: PricingCatalog, request: EstimatedRequest): bigint {
  const { provider, model, at, inputTokens, outputTokens } = request;
  const inputs: Classes[] = [{}];
  if (inputTokens > 0) inputs.push({ cache_read_tokens: inputTokens }, { cache_write_tokens: inputTokens });
  const outputs: Classes[] = outputTokens > 0 ? [{}, { reasoning_tokens: outputTokens }] : [{}];
  let dearest = 0n;
  for (const input of inputs) {
    for (const output of outputs) {
      const tokens = { input_tokens: inputTokens, output_tokens: outputTokens, ...input, ...output };
      const cost = catalog.quote({ provider, model, at, tokens })?.picodollars ?? 0n;
      if (cost > dearest) dearest = cost;
    }
  }
  return dearest;
}
