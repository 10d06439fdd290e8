import { describe, expect, it } from '@jest/globals';
import { findProvider } from '@pydantic/genai-prices';
import * as fc from 'fast-check';
import { PricingCatalog, type PricedTokens, type PriceQuote, type PriceRequest } from '#core';
import { GenaiPricesCatalog, OverridingCatalog } from '../prices/index.js';
import { highestCost, highestQuote } from './estimate.js';

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

describe('highestCost', () => {
  it.each([
    ['all input plain and all output plain', {}, 100n * 2n + 10n * 3n],
    ['input read from a cache', { cacheReadPerMillionUsd: 5 }, 100n * 5n + 10n * 3n],
    ['input written to a cache', { cacheReadPerMillionUsd: 5, cacheWritePerMillionUsd: 6 }, 100n * 6n + 10n * 3n],
    ['all output as reasoning', { reasoningPerMillionUsd: 9 }, 100n * 2n + 10n * 9n],
    ['both', { cacheReadPerMillionUsd: 5, reasoningPerMillionUsd: 9 }, 100n * 5n + 10n * 9n],
    [
      'plain input and output, if the other classes are cheaper',
      { cacheReadPerMillionUsd: 0, reasoningPerMillionUsd: 0 },
      230n,
    ],
  ])('uses %s if that is the most expensive', (_, more, millionths) => {
    const cost = highestCost(pricedAt(more), { ...REQUEST, inputTokens: 100, outputTokens: 10 });
    expect(cost).toBe(millionths * 1_000_000n);
  });

  it('includes a cache that is kept for an hour, if the catalog prices it', () => {
    const request = { provider: 'anthropic', model: 'claude-sonnet-4-5', at: REQUEST.at };
    // A million input tokens cost $3 plain, $3.75 cached for minutes, and $6 cached for an hour.
    const cost = highestCost(new GenaiPricesCatalog(), { ...request, inputTokens: 1_000, outputTokens: 0 });
    expect(cost).toBe(6_000_000_000n);
  });

  it('uses the price of the tier and the region, and the standard price for a tier without one', () => {
    const price = { provider: null, model: '*', inputPerMillionUsd: 2, outputPerMillionUsd: 0 };
    const catalog = new OverridingCatalog(new NoPrices(), [
      { ...price, version: '1' },
      { ...price, version: '2', inputPerMillionUsd: 1, serviceTier: 'batch' },
      { ...price, version: '3', inputPerMillionUsd: 3, region: 'eu' },
    ]);
    const request = { ...REQUEST, inputTokens: 100, outputTokens: 0 };
    expect(highestCost(catalog, request)).toBe(200_000_000n);
    expect(highestCost(catalog, { ...request, serviceTier: 'batch' })).toBe(100_000_000n);
    expect(highestCost(catalog, { ...request, serviceTier: 'priority' })).toBe(200_000_000n);
    expect(highestCost(catalog, { ...request, serviceTier: 'priority', region: 'EU' })).toBe(300_000_000n);
  });

  it('is 0 if the model has no price, or there are no tokens', () => {
    expect(highestCost(new NoPrices(), { ...REQUEST, inputTokens: 100, outputTokens: 10 })).toBe(0n);
    expect(highestCost(pricedAt({}), { ...REQUEST, inputTokens: 0, outputTokens: 0 })).toBe(0n);
  });

  it('never uses more cached tokens than input, nor more reasoning than output', () => {
    const catalog = new NoPrices();
    highestCost(catalog, { ...REQUEST, inputTokens: 7, outputTokens: 5 });
    expect(catalog.asked).toHaveLength(8);
    for (const { input_tokens, output_tokens, ...rest } of catalog.asked) {
      expect([input_tokens, output_tokens]).toEqual([7, 5]);
      expect((rest.cache_read_tokens ?? 0) + (rest.cache_write_tokens ?? 0)).toBeLessThanOrEqual(7);
      expect(rest.reasoning_tokens ?? 0).toBeLessThanOrEqual(5);
    }
  });
});

describe('the ceiling of a catalog that knows its rates', () => {
  const providers =
    'anthropic avian aws azure cerebras cohere deepseek fireworks google groq minimax mistral moonshotai novita openai openrouter perplexity together voyageai x-ai zai zhipuai';
  const catalogued = providers
    .split(' ')
    .flatMap(provider => findProvider({ providerId: provider })!.models.map(({ id: model }) => ({ provider, model })));
  const named = fc.constantFrom({ provider: 'acme', model: 'acme-1' }, { provider: 'acme', model: 'nickname' });
  const tokens = fc.oneof(fc.nat({ max: 3 }), fc.nat({ max: 10_000 }), fc.nat({ max: 300_000 }));
  const request = fc
    .record({
      subject: fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...catalogued) }, named),
      at: fc.date({ min: new Date('2024-01-01'), max: new Date('2027-12-31'), noInvalidDate: true }),
      inputTokens: tokens,
      outputTokens: tokens,
    })
    .map(({ subject, ...more }) => Object.assign(more, subject));
  const usd = fc.nat({ max: 200_000_000 }).map(millionths => millionths / 1e6);

  it('is the highest of all quotes, for every model at any time', () => {
    const catalog = new GenaiPricesCatalog();
    fc.assert(
      fc.property(request, asked => {
        expect(catalog.ceiling(asked)).toBe(highestQuote(catalog, asked));
      }),
      { numRuns: 3_000 },
    );
    const claude = {
      ...REQUEST,
      provider: 'anthropic',
      model: 'claude-sonnet-4-5',
      inputTokens: 1_000,
      outputTokens: 1,
    };
    expect(catalog.ceiling(claude)).toBe(6_015_000_000n);
  });

  it('is the highest of all quotes, whatever an organization has agreed on', () => {
    const price = fc.record({
      provider: fc.constant(null),
      model: fc.constantFrom('*', 'acme*', 'acme-1', 'claude*', 'gpt-4o'),
      inputPerMillionUsd: usd,
      outputPerMillionUsd: usd,
      cacheReadPerMillionUsd: fc.option(usd),
      cacheWritePerMillionUsd: fc.option(usd),
      reasoningPerMillionUsd: fc.option(usd),
      effectiveFrom: fc.option(fc.constant(REQUEST.at)),
      version: fc.constant('1'),
    });
    const alias = { provider: null, model: 'nickname', targetProvider: 'anthropic', targetModel: 'claude-sonnet-4-5' };
    const base = new GenaiPricesCatalog();
    fc.assert(
      fc.property(request, fc.array(price, { maxLength: 3 }), (asked, prices) => {
        const catalog = new OverridingCatalog(base, prices, [alias]);
        expect(catalog.ceiling(asked)).toBe(highestQuote(catalog, asked));
      }),
      { numRuns: 1_000 },
    );
  });

  it('is not used for quotes of another catalog', () => {
    class Doubled extends GenaiPricesCatalog {
      override quote(asked: PriceRequest): PriceQuote | null {
        const quoted = super.quote(asked);
        return quoted && { ...quoted, picodollars: 2n * quoted.picodollars };
      }
    }
    const asked = { ...REQUEST, provider: 'openai', model: 'gpt-4o', inputTokens: 100, outputTokens: 10 };
    const single = highestCost(new GenaiPricesCatalog(), asked);
    expect(single).toBeGreaterThan(0n);
    expect(highestCost(new Doubled(), asked)).toBe(2n * single);
    expect(highestCost(new OverridingCatalog(new Doubled(), []), asked)).toBe(2n * single);
  });
});
