import type { PricedTokens, PricingCatalog, PriceQuote, ServiceTier } from '#core';

/** The data of an event that determine its price. The tokens are the totals of all its requests. */
export interface PriceableEvent {
  provider: string;
  model: string;
  occurredAt: Date;
  tokens: PricedTokens;
  requests: number;
  serviceTier: ServiceTier;
  region: string | null;
}

/** Disjoint classes of an event's tokens. Each token count of a price request is the sum of two or three of them. */
const SHARES = ['fresh', 'cacheRead', 'cacheWrite', 'visible', 'reasoning'] as const;

type Shares = Record<(typeof SHARES)[number], number>;

/**
 * The price of an event, or null if its model has no price for its tier.
 *
 * Prices can depend on the size of a request, so several requests are never priced as one. For an event that covers
 * several requests, only the totals are known. Its tokens are spread over the requests evenly, in whole numbers. No
 * token is lost or added. At most six different requests result. Each of them is quoted once, and its cost is
 * multiplied by the number of its occurrences. Units other than tokens are charged only for events with a single
 * request.
 */
export function priceEvent(catalog: PricingCatalog, event: PriceableEvent): PriceQuote | null {
  // An event with zero requests completes another event, and is priced like a single request.
  if (event.requests <= 1) return quote(catalog, event, event.tokens);
  const totals = sharesOf(event.tokens);
  // Where the tokens of a class cannot be spread evenly, the first requests get one more: request i, if the remainder
  // exceeds i.
  const remainders = SHARES.map(share => totals[share] % event.requests);
  const borders = [...new Set([0, ...remainders, event.requests])].sort((a, b) => a - b);
  let [picodollars, listPicodollars] = [0n, 0n];
  let last: PriceQuote | null = null;
  for (const [index, first] of borders.slice(0, -1).entries()) {
    last = quote(catalog, event, tokensOf(totals, event.requests, first));
    if (!last) return null;
    const count = BigInt((borders[index + 1] ?? first) - first);
    picodollars += last.picodollars * count;
    listPicodollars += (last.listPicodollars ?? last.picodollars) * count;
  }
  return last && { ...last, picodollars, listPicodollars };
}

function quote(catalog: PricingCatalog, event: PriceableEvent, tokens: PricedTokens): PriceQuote | null {
  const { provider, model, occurredAt: at, serviceTier, region } = event;
  return catalog.quote({ provider, model, at, tokens, serviceTier, region });
}

function sharesOf(tokens: PricedTokens): Shares {
  const cacheRead = tokens.cache_read_tokens ?? 0;
  const cacheWrite = tokens.cache_write_tokens ?? 0;
  const reasoning = tokens.reasoning_tokens ?? 0;
  return {
    fresh: tokens.input_tokens - cacheRead - cacheWrite,
    cacheRead,
    cacheWrite,
    visible: tokens.output_tokens - reasoning,
    reasoning,
  };
}

function tokensOf(totals: Shares, requests: number, index: number): PricedTokens {
  const share = (total: number) => Math.floor(total / requests) + (index < total % requests ? 1 : 0);
  const cacheRead = share(totals.cacheRead);
  const cacheWrite = share(totals.cacheWrite);
  const reasoning = share(totals.reasoning);
  return {
    input_tokens: share(totals.fresh) + cacheRead + cacheWrite,
    output_tokens: share(totals.visible) + reasoning,
    cache_read_tokens: cacheRead,
    cache_write_tokens: cacheWrite,
    reasoning_tokens: reasoning,
  };
}
