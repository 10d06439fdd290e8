import { describe, expect, it } from '@jest/globals';
import type { ModelInfo } from '@pydantic/genai-prices';
import { CatalogPriceTable } from './catalog-price-table.js';
import { costOf, ratePerMillion } from './rate-card.js';

const usd = (price: number) => ratePerMillion(price)!;

describe('a rate card', () => {
  const input = {
    base: usd(1),
    tiers: [
      { above: 100, rate: usd(2) },
      { above: 200, rate: usd(3) },
    ],
  };

  it.each([
    [100, 100_000_000n],
    [101, 202_000_000n],
    [200, 400_000_000n],
    [201, 603_000_000n],
  ])('charges all %i tokens at the highest tier that the request exceeds', (count, picodollars) => {
    expect(costOf({ input, perRequest: 0n }, { input_tokens: count, output_tokens: 0 })).toBe(picodollars);
  });

  it('uses the input to select the tier of the output', () => {
    const output = { base: usd(10), tiers: [{ above: 100, rate: usd(20) }] };
    expect(costOf({ output, perRequest: 0n }, { input_tokens: 101, output_tokens: 1 })).toBe(20_000_000n);
  });

  it('never charges below zero if cached tokens exceed the input', () => {
    const card = { input, cacheRead: { base: usd(1), tiers: [] }, perRequest: 0n };
    expect(costOf(card, { input_tokens: 1, output_tokens: 0, cache_read_tokens: 5 })).toBe(5_000_000n);
  });
});

describe('a price table of the catalog', () => {
  const table = (prices: ModelInfo['prices']) => new CatalogPriceTable({ id: 'm', match: { equals: 'm' }, prices });

  it('supports hours across midnight', () => {
    const constraint = { type: 'time_of_date', start_time: '22:00:00Z', end_time: '06:00:00Z' } as const;
    const prices = table([{ prices: { input_mtok: 2 } }, { constraint, prices: { input_mtok: 1 } }]);
    const rateAt = (time: string) => prices.at(new Date(`2026-11-20T${time}Z`)).input?.base;
    expect(['21:59:59.999', '22:00:00', '00:00:00', '05:59:59.999', '06:00:00'].map(rateAt)).toEqual(
      [2, 1, 1, 1, 2].map(usd),
    );
  });

  it('reads offsets of hours', () => {
    const constraint = { type: 'time_of_date', start_time: '00:30:00+08:00', end_time: '08:30:00+08:00' } as const;
    const prices = table([{ prices: { input_mtok: 2 } }, { constraint, prices: { input_mtok: 1 } }]);
    expect(prices.at(new Date('2026-11-20T16:30:00Z')).input?.base).toBe(usd(1));
    expect(prices.at(new Date('2026-11-20T00:30:00Z')).input?.base).toBe(usd(2));
  });

  it('adds the price of the request itself, stated per thousand', () => {
    const rates = table({ input_mtok: 1, requests_kcount: 5 }).at(new Date(0));
    expect(costOf(rates, { input_tokens: 1, output_tokens: 0 })).toBe(5_001_000_000n);
  });

  it('removes floating point errors from a price', () => {
    expect(table({ input_mtok: 0.18000000000000002 }).at(new Date(0)).input?.base).toBe(usd(0.18));
  });
});
