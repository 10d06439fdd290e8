import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { PricingCatalog, type PriceQuote, type PriceRequest } from '#core';
import { DiscountedCatalog, percentParts, type ContractDiscount } from './discounted-catalog.js';
import { GenaiPricesCatalog } from './genai-prices-catalog.js';

/** A catalogue in which each input token costs one picodollar. It has no price for the model `nothing`. */
class TokenCatalog extends PricingCatalog {
  quote({ model, tokens }: PriceRequest): PriceQuote | null {
    if (model === 'nothing') return null;
    return { picodollars: BigInt(tokens.input_tokens), source: 'tokens', version: '1' };
  }

  identify(): null {
    return null;
  }
}

const discount = (percentOff: string, change: Partial<ContractDiscount> = {}): ContractDiscount => ({
  ...{ provider: null, model: '*', percentOff, effectiveFrom: null, effectiveUntil: null },
  ...change,
});
const at = new Date('2026-11-20T12:00:00Z');
const request = { provider: 'openai', model: 'gpt-4o', at };

function costOf(discounts: ContractDiscount[], change: Partial<PriceRequest> = {}, input = 1_000): bigint | undefined {
  const tokens = { input_tokens: input, output_tokens: 0 };
  return new DiscountedCatalog(new TokenCatalog(), discounts).quote({ ...request, tokens, ...change })?.picodollars;
}

describe('a discounted price', () => {
  it('keeps the price before the discount', () => {
    const tokens = { input_tokens: 1_000, output_tokens: 0 };
    const quote = new DiscountedCatalog(new TokenCatalog(), [discount('12.5')]).quote({ ...request, tokens });
    expect(quote).toEqual({ picodollars: 875n, listPicodollars: 1_000n, source: 'tokens', version: '1' });
  });

  it.each([
    ['0', 1_000n],
    ['100', 0n],
    ['33.333333', 667n],
    ['0.05', 1_000n],
    ['0.050001', 999n],
  ])('with %s percent off is rounded half up, once', (percent, cost) => {
    expect(costOf([discount(percent)])).toBe(cost);
  });

  it('is null if there is no price', () => {
    expect(costOf([discount('10')], { model: 'nothing' })).toBeUndefined();
  });

  it('has only the most specific discount at that time', () => {
    const all = [
      discount('1'),
      discount('2', { provider: 'OpenAI' }),
      discount('3', { model: 'gpt-*' }),
      discount('4', { model: 'GPT-4o', provider: 'azure' }),
      discount('0', { model: 'gpt-4o-mini' }),
    ];
    expect(costOf(all)).toBe(970n);
    expect(costOf(all, { provider: 'azure' })).toBe(960n);
    expect(costOf(all, { model: 'o3' })).toBe(980n);
    expect(costOf(all, { model: 'o3', provider: 'other' })).toBe(990n);
    expect(costOf(all, { model: 'gpt-4o-mini' })).toBe(1_000n);
  });

  it('has a discount from its start until before its end, and the one that started last', () => {
    const [start, end] = [new Date('2026-11-01T00:00:00Z'), new Date('2026-12-01T00:00:00Z')];
    const all = [discount('10'), discount('20', { effectiveFrom: start, effectiveUntil: end })];
    const ms = (date: Date, by: number) => new Date(date.getTime() + by);
    expect([ms(start, -1), start, ms(end, -1), end].map(time => costOf(all, { at: time }))).toEqual([
      900n,
      800n,
      800n,
      900n,
    ]);
  });

  it('is never above its ceiling', () => {
    const percent = fc.integer({ min: 0, max: 100_000_000 }).map(parts => (parts / 1e6).toFixed(6));
    const count = fc.nat(300_000);
    fc.assert(
      fc.property(percent, count, count, (off, input, output) => {
        const catalog = new DiscountedCatalog(new GenaiPricesCatalog(), [discount(off)]);
        const claude = { provider: 'anthropic', model: 'claude-sonnet-4-5', at };
        const ceiling = catalog.ceiling({ ...claude, inputTokens: input, outputTokens: output }) ?? -1n;
        for (const cache of [{}, { cache_read_tokens: input }, { cache_write_tokens: input }]) {
          const tokens = { input_tokens: input, output_tokens: output, ...cache };
          expect(catalog.quote({ ...claude, tokens })?.picodollars ?? 0n).toBeLessThanOrEqual(ceiling);
        }
      }),
    );
  });
});

describe('percentParts', () => {
  it.each([
    ['0', 0n],
    [12.5, 12_500_000n],
    ['100.000000', 100_000_000n],
    ['100.000001', undefined],
    ['0.0000001', undefined],
    [-1, undefined],
    ['', undefined],
  ])('reads %j as %s', (percent, parts) => {
    expect(percentParts(percent)).toBe(parts);
  });
});
