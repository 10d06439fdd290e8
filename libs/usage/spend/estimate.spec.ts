import { describe, expect, it } from '@jest/globals';
import { PricingCatalog, type PricedTokens, type PriceQuote, type PriceRequest } from '#core';
import { GenaiPricesCatalog, OverridingCatalog } from '../prices/index.js';
import { dearestCost } from './estimate.js';

class NoPrices extends PricingCatalog {
  readonly asked: PricedTokens[] = [];
  quote({ tokens }: PriceRequest): PriceQuote | null {
    this.asked.push(tokens);
    return null;
  }
  identify(): null {
    return null;
  }
}

const REQUEST = { provider: 'acme', model: 'acme-1', at: new Date('2026-11-20T12:00:00Z') };

function pricedAt(more: object): PricingCatalog {
  const price = { provider: null, model: '*', inputPerMillionUsd: 2, outputPerMillionUsd: 3, version: '1', ...more };
  return new OverridingCatalog(new NoPrices(), [price]);
}

describe('dearestCost', () => {
  it.each([
    ['all input plain and all output plain', {}, 100n * 2n + 10n * 3n],
    ['input read from a cache', { cacheReadPerMillionUsd: 5 }, 100n * 5n + 10n * 3n],
    ['input written to a cache', { cacheReadPerMillionUsd: 5, cacheWritePerMillionUsd: 6 }, 100n * 6n + 10n * 3n],
    ['output as reasoning', { reasoningPerMillionUsd: 9 }, 100n * 2n + 10n * 9n],
    ['both', { cacheReadPerMillionUsd: 5, reasoningPerMillionUsd: 9 }, 100n * 5n + 10n * 9n],
    ['plain, where the other classes are cheaper', { cacheReadPerMillionUsd: 0, reasoningPerMillionUsd: 0 }, 230n],
  ])('takes %s where that is the dearest', (_, more, millionths) => {
    const cost = dearestCost(pricedAt(more), { ...REQUEST, inputTokens: 100, outputTokens: 10 });
    expect(cost).toBe(millionths * 1_000_000n);
  });

  it('covers a cache that is kept for an hour, where the catalogue prices it', () => {
    const request = { provider: 'anthropic', model: 'claude-sonnet-4-5', at: REQUEST.at };
    // $3 per million plain, $3.75 written for minutes, $6 written for an hour.
    const cost = dearestCost(new GenaiPricesCatalog(), { ...request, inputTokens: 1_000, outputTokens: 0 });
    expect(cost).toBe(6_000_000_000n);
  });

  it('is 0 where the model has no price, or nothing is asked', () => {
    expect(dearestCost(new NoPrices(), { ...REQUEST, inputTokens: 100, outputTokens: 10 })).toBe(0n);
    expect(dearestCost(pricedAt({}), { ...REQUEST, inputTokens: 0, outputTokens: 0 })).toBe(0n);
  });

  it('never asks for more cached tokens than input, nor more reasoning than output', () => {
    const catalog = new NoPrices();
    dearestCost(catalog, { ...REQUEST, inputTokens: 7, outputTokens: 5 });
    expect(catalog.asked).toHaveLength(8);
    for (const { input_tokens, output_tokens, ...rest } of catalog.asked) {
      expect([input_tokens, output_tokens]).toEqual([7, 5]);
      expect((rest.cache_read_tokens ?? 0) + (rest.cache_write_tokens ?? 0)).toBeLessThanOrEqual(7);
      expect(rest.reasoning_tokens ?? 0).toBeLessThanOrEqual(5);
    }
  });
});
