import { describe, expect, it } from '@jest/globals';
import { PricingCatalog, type PriceQuote, type PriceRequest } from '#core';
import * as fc from 'fast-check';
import { priceEvent } from './event-price.js';
import { GenaiPricesCatalog } from './genai-prices-catalog.js';

const occurredAt = new Date('2026-11-20T13:00:00Z');
const terms = { serviceTier: 'standard', region: null } as const;

/** A catalogue in which each token costs one picodollar. It records its calls. */
class CountingCatalog extends PricingCatalog {
  readonly asked: PriceRequest[] = [];

  quote(request: PriceRequest): PriceQuote {
    this.asked.push(request);
    return {
      picodollars: BigInt(request.tokens.input_tokens + request.tokens.output_tokens),
      source: 's',
      version: 'v',
    };
  }

  identify(): null {
    return null;
  }
}

describe('the price of an event', () => {
  it('prices each request separately, so many small requests never reach a higher tier', () => {
    const gemini = { provider: 'google', model: 'gemini-2.5-pro', occurredAt, ...terms };
    const tokens = { input_tokens: 300_000, output_tokens: 50_000 };
    const catalog = new GenaiPricesCatalog();
    expect(priceEvent(catalog, { ...gemini, tokens, requests: 100 })?.picodollars).toBe(875_000_000_000n);
    expect(priceEvent(catalog, { ...gemini, tokens, requests: 1 })?.picodollars).toBe(1_500_000_000_000n);
  });

  it('neither loses nor adds tokens when it splits them, and calls the catalog at most six times', () => {
    const count = fc.nat({ max: 1_000_000 });
    fc.assert(
      fc.property(
        count,
        count,
        count,
        count,
        count,
        fc.integer({ min: 1, max: 1_000_000_000 }),
        (a, b, c, d, e, requests) => {
          const catalog = new CountingCatalog();
          const tokens = {
            input_tokens: a + b + c,
            output_tokens: d + e,
            cache_read_tokens: b,
            cache_write_tokens: c,
            reasoning_tokens: e,
          };
          const quote = priceEvent(catalog, { provider: 'p', model: 'm', occurredAt, tokens, requests, ...terms });
          expect(quote?.picodollars).toBe(BigInt(a + b + c + d + e));
          expect(catalog.asked.length).toBeLessThanOrEqual(6);
          for (const { tokens: one } of catalog.asked) {
            expect(one.cache_read_tokens! + one.cache_write_tokens!).toBeLessThanOrEqual(one.input_tokens);
            expect(one.reasoning_tokens!).toBeLessThanOrEqual(one.output_tokens);
          }
        },
      ),
    );
  });

  it('is null if the model is not priced', () => {
    const tokens = { input_tokens: 5, output_tokens: 5 };
    const event = { provider: 'nobody', model: 'nothing', occurredAt, tokens, ...terms };
    expect(priceEvent(new GenaiPricesCatalog(), { ...event, requests: 1 })).toBeNull();
    expect(priceEvent(new GenaiPricesCatalog(), { ...event, requests: 3 })).toBeNull();
  });

  it('passes the tier and the region of the event to the catalog', () => {
    const catalog = new CountingCatalog();
    const tokens = { input_tokens: 5, output_tokens: 5 };
    const event = { provider: 'p', model: 'm', occurredAt, tokens, serviceTier: 'batch', region: 'eu-west-1' } as const;
    priceEvent(catalog, { ...event, requests: 3 });
    expect(catalog.asked.length).toBeGreaterThan(1);
    for (const { serviceTier, region } of catalog.asked) expect([serviceTier, region]).toEqual(['batch', 'eu-west-1']);
  });
});
