import type { PricedTokens, PricingCatalog } from '#core';
import { RatedCatalog, type EstimatedRequest } from '../prices/index.js';

type Classes = Partial<PricedTokens>;

/** Catalogue's name of writes to a cache with a lifetime of one hour, which cost twice the price of plain input. */
const LONG_CACHE = 'cache_write_1h_tokens';

/**
 * Maximum cost of a request in picodollars: the cost of the most expensive way to bill its tokens. Input can be plain,
 * read from a cache, or written to a cache for minutes or for an hour; output can be plain or reasoning. 0 if the model
 * has no price. For a tier without a price, returns the cost at the standard tier. Otherwise, a caller could bypass an
 * exhausted budget by naming such a tier.
 */
export function highestCost(catalog: PricingCatalog, request: EstimatedRequest): bigint {
  const cost = highestInTier(catalog, request);
  if (cost > 0n || (request.serviceTier ?? 'standard') === 'standard') return cost;
  return highestInTier(catalog, { ...request, serviceTier: 'standard' });
}

function highestInTier(catalog: PricingCatalog, request: EstimatedRequest): bigint {
  const known = catalog instanceof RatedCatalog ? catalog.ceiling(request) : undefined;
  return known ?? highestQuote(catalog, request);
}

/** The highest price of a request in a catalogue without rates. Asks for one quote for each way to bill the tokens. */
export function highestQuote(catalog: PricingCatalog, request: EstimatedRequest): bigint {
  const { provider, model, at, inputTokens, outputTokens, serviceTier, region } = request;
  const inputs: Classes[] = [{}];
  if (inputTokens > 0) {
    const written = { cache_write_tokens: inputTokens };
    inputs.push({ cache_read_tokens: inputTokens }, written, { ...written, units: { [LONG_CACHE]: inputTokens } });
  }
  const outputs: Classes[] = outputTokens > 0 ? [{}, { reasoning_tokens: outputTokens }] : [{}];
  let highest = 0n;
  for (const input of inputs) {
    for (const output of outputs) {
      const tokens = { input_tokens: inputTokens, output_tokens: outputTokens, ...input, ...output };
      const cost = catalog.quote({ provider, model, at, tokens, serviceTier, region })?.picodollars ?? 0n;
      if (cost > highest) highest = cost;
    }
  }
  return highest;
}
