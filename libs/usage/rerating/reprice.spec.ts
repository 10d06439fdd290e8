import { describe, expect, it } from '@jest/globals';
import { PricingCatalog, type PriceQuote } from '#core';
import { adjustmentOf, scopeFilter, type RatedEvent } from './reprice.js';

/** Gives every request the same price, or no price. */
class FlatCatalog extends PricingCatalog {
  constructor(private readonly picodollars: bigint | null) {
    super();
  }

  quote(): PriceQuote | null {
    return this.picodollars === null ? null : { picodollars: this.picodollars, source: 'flat', version: '7' };
  }

  identify(): null {
    return null;
  }
}

function event(change: Partial<RatedEvent> = {}): RatedEvent {
  return {
    id: 'e',
    userId: 'u',
    department: null,
    project: null,
    tags: null,
    tokenId: null,
    attributionId: 'a',
    provider: 'Acme',
    model: 'House-1',
    occurredAt: new Date('2026-11-20T11:00:00Z'),
    tokens: { input_tokens: 1, output_tokens: 1 },
    requests: 1,
    serviceTier: 'standard',
    region: null,
    picodollars: 5n,
    listPicodollars: change.picodollars ?? 5n,
    unpricedRequests: 0,
    ...change,
  };
}

describe('the adjustment of an event', () => {
  it.each<[string, Partial<RatedEvent>, bigint | null, object | null]>([
    ['whose cost is right', {}, 5n, null],
    ['whose cost is higher now', {}, 7n, { picodollars: 2n, unpricedRequests: 0, source: 'flat', version: '7' }],
    ['whose cost is lower now', {}, 0n, { picodollars: -5n, unpricedRequests: 0 }],
    [
      'that had no price and has one now',
      { requests: 3, picodollars: 0n, unpricedRequests: 3 },
      1n,
      { picodollars: 3n, unpricedRequests: -3 },
    ],
    [
      'that had no price and is free now',
      { picodollars: 0n, unpricedRequests: 1 },
      0n,
      { picodollars: 0n, unpricedRequests: -1 },
    ],
    [
      'whose price no longer exists',
      { requests: 3 },
      null,
      { picodollars: -5n, unpricedRequests: 3, source: null, version: null },
    ],
    [
      'of which only the price before discounts has changed',
      { listPicodollars: 8n },
      5n,
      { picodollars: 0n, listPicodollars: -3n, unpricedRequests: 0 },
    ],
    ['that had no price and has none now', { requests: 3, picodollars: 0n, unpricedRequests: 3 }, null, null],
  ])('%s', (_what, change, price, expected) => {
    const rated = event(change);
    const found = adjustmentOf(rated, new FlatCatalog(price));
    if (expected === null) expect(found).toBeNull();
    else expect(found).toMatchObject({ event: rated, ...expected });
  });
});

describe('the scope of a re-rating', () => {
  it.each<[string | null, string | null, boolean]>([
    [null, null, true],
    ['acme', null, true],
    [' ACME ', 'house-1', true],
    ['acme', 'house-*', true],
    ['acm', null, false],
    [null, 'house', false],
    ['openai', 'house-1', false],
  ])('of provider %j and model %j', (provider, model, isIn) => {
    expect(scopeFilter(provider, model)(event())).toBe(isIn);
  });
});
