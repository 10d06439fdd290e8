import type { PricedTokens, PricingCatalog } from '#core';
import { RatedCatalog, type EstimatedRequest } from '../prices/index.js';

type Classes = Partial<PricedTokens>;

/** Writing to a cache that is kept for an hour, as the catalogue calls it: twice the price of plain input. */
const LONG_CACHE = 'cache_write_1h_tokens';

/**
 * What a request may cost at most, in picodollars: the dearest way to bill its tokens, with all input plain, read from
 * a cache or written to one, for minutes or for an hour, and all output plain or reasoning. 0 where the model has no price.
 */
export function dearestCost(catalog: PricingCatalog, request: EstimatedRequest): bigint {
  const known = catalog instanceof RatedCatalog ? catalog.ceiling(request) : undefined;
  return known ?? dearestQuote(catalog, request);
}

/** The same by a quote for each way to bill the tokens: for catalogues that know no rates. */
export function dearestQuote(catalog: PricingCatalog, request: EstimatedRequest): bigint {
  const { provider, model, at, inputTokens, outputTokens } = request;
  const inputs: Classes[] = [{}];
  if (inputTokens > 0) {
    const written = { cache_write_tokens: inputTokens };
    inputs.push({ cache_read_tokens: inputTokens }, written, { ...written, units: { [LONG_CACHE]: inputTokens } });
  }
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
