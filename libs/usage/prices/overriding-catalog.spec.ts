import { describe, expect, it } from '@jest/globals';
import { BadRequestError, PricingCatalog, type PriceQuote, type PriceRequest } from '#core';
import type { ModelAlias, PriceOverride } from './price-override.js';
import { GENAI_PRICES_VERSION, GenaiPricesCatalog } from './genai-prices-catalog.js';
import { OverridingCatalog } from './overriding-catalog.js';

class EchoCatalog extends PricingCatalog {
  quote({ provider, model }: PriceRequest): PriceQuote | null {
    return model === 'unknown' ? null : { picodollars: 7n, source: 'base', version: `${provider}/${model}` };
  }

  identify(provider: string, model: string): string | null {
    return model === 'unknown' ? null : `${provider}/${model}`;
  }
}

const override = (version: string, change: Partial<PriceOverride> = {}): PriceOverride => ({
  provider: null,
  model: '*',
  inputPerMillionUsd: '1',
  outputPerMillionUsd: '2',
  version,
  ...change,
});

function quote(overrides: PriceOverride[], aliases: ModelAlias[] = [], change: Partial<PriceRequest> = {}) {
  return new OverridingCatalog(new EchoCatalog(), overrides, aliases).quote({
    provider: 'openai',
    model: 'gpt-5-mini',
    at: new Date('2026-11-20T00:00:00Z'),
    tokens: { input_tokens: 3, output_tokens: 2 },
    ...change,
  });
}

describe('price overrides', () => {
  it('do not change the base catalog if none applies', () => {
    expect(quote([override('a', { model: 'gpt-4' }), override('b', { provider: 'azure' })])).toEqual({
      picodollars: 7n,
      source: 'base',
      version: 'openai/gpt-5-mini',
    });
  });

  it('name themselves as the source of the price', () => {
    expect(quote([override('v3')])).toEqual({ picodollars: 7_000_000n, source: 'override', version: 'v3' });
  });

  it('keep twelve decimals of a price', () => {
    const tokens = { input_tokens: 1_000_000_000_000, output_tokens: 0 };
    expect(quote([override('v', { inputPerMillionUsd: '0.000000000001' })], [], { tokens })?.picodollars).toBe(
      1_000_000n,
    );
  });

  it('round half up once, at the end', () => {
    const tiny = override('v', { inputPerMillionUsd: '0.0000001', outputPerMillionUsd: '0.0000001' });
    expect(quote([tiny], [], { tokens: { input_tokens: 3, output_tokens: 2 } })?.picodollars).toBe(1n);
    expect(quote([tiny], [], { tokens: { input_tokens: 2, output_tokens: 2 } })?.picodollars).toBe(0n);
  });

  it('charge cached and reasoning tokens as their parent if they have no separate price', () => {
    const tokens = {
      input_tokens: 10,
      output_tokens: 10,
      cache_read_tokens: 4,
      cache_write_tokens: 2,
      reasoning_tokens: 5,
    };
    expect(quote([override('v')], [], { tokens })?.picodollars).toBe(30_000_000n);
    const own = override('v', { cacheReadPerMillionUsd: 0.1, cacheWritePerMillionUsd: '3', reasoningPerMillionUsd: 5 });
    expect(quote([own], [], { tokens })?.picodollars).toBe(
      4_000_000n + 400_000n + 6_000_000n + 10_000_000n + 25_000_000n,
    );
  });

  it('win by specificity: exact model, longer pattern, named provider', () => {
    const ranked = [
      override('exact at provider', { model: 'GPT-5-mini', provider: 'OpenAI' }),
      override('exact', { model: 'gpt-5-mini' }),
      override('long pattern at provider', { model: 'gpt-5-*', provider: 'openai' }),
      override('long pattern', { model: 'gpt-5-*' }),
      override('short pattern', { model: 'gpt-*', provider: 'openai' }),
      override('everything'),
    ];
    for (let first = 0; first < ranked.length; first++) {
      const left = ranked.slice(first);
      expect(quote(left)?.version).toBe(left[0]?.version);
      expect(quote(left.toReversed())?.version).toBe(left[0]?.version);
    }
  });

  it('apply from their date on, and the previous one to earlier requests', () => {
    const dated = [
      override('new', { effectiveFrom: new Date('2026-11-20T00:00:00Z') }),
      override('old', { effectiveFrom: new Date('2026-01-01T00:00:00Z') }),
    ];
    expect(quote(dated)?.version).toBe('new');
    expect(quote(dated.toReversed())?.version).toBe('new');
    expect(quote(dated, [], { at: new Date('2026-11-19T23:59:59.999Z') })?.version).toBe('old');
    expect(quote(dated, [], { at: new Date('2025-12-31T00:00:00Z') })?.source).toBe('base');
  });

  it.each(['-1', 'x', '0.0000000000001', Number.NaN, 1_000_001])(
    'refuse the price %p, with the name of the field',
    price => {
      expect(() => quote([override('v', { cacheReadPerMillionUsd: price })])).toThrow(BadRequestError);
      expect(() => quote([override('v', { cacheReadPerMillionUsd: price })])).toThrow(/cache_read_per_million_usd/);
    },
  );

  it('refuse an empty model', () => expect(() => quote([override('v', { model: ' ' })])).toThrow(/model/));
});

describe('model aliases', () => {
  const alias = (model: string, targetModel: string): ModelAlias => ({
    provider: 'azure',
    model,
    targetProvider: 'openai',
    targetModel,
  });
  const asked = { provider: 'Azure', model: 'Our-Deployment' };

  it('resolve to the catalog model', () => {
    expect(quote([], [alias('our-deployment', 'gpt-4o')], asked)?.version).toBe('openai/gpt-4o');
  });

  it('resolve to an override for the target, unless one names the alias itself', () => {
    const target = override('target', { model: 'gpt-4o' });
    expect(quote([target], [alias('our-*', 'gpt-4o')], asked)?.version).toBe('target');
    expect(quote([target, override('own', { model: 'our-*' })], [alias('our-*', 'gpt-4o')], asked)?.version).toBe(
      'own',
    );
  });

  it('resolve one step only, so that a cycle ends', () => {
    const cycle = [alias('our-deployment', 'b'), { ...alias('b', 'our-deployment'), provider: null }];
    expect(quote([], cycle, asked)?.version).toBe('openai/b');
  });

  it('identify the model behind the name', () => {
    const catalog = new OverridingCatalog(
      new EchoCatalog(),
      [override('v', { model: 'unknown' })],
      [alias('a', 'gpt-4o')],
    );
    expect(catalog.identify('azure', 'a')).toBe('openai/gpt-4o');
    expect(catalog.identify('openai', 'unknown')).toBe('openai/unknown');
    expect(new OverridingCatalog(new EchoCatalog(), []).identify('openai', 'unknown')).toBeNull();
  });
});

describe('prices of tiers and regions', () => {
  const versionOf = (overrides: PriceOverride[], change: Partial<PriceRequest>) =>
    new OverridingCatalog(new GenaiPricesCatalog(), overrides).quote({
      provider: 'openai',
      model: 'gpt-4o',
      at: new Date('2026-11-20T00:00:00Z'),
      tokens: { input_tokens: 1, output_tokens: 0 },
      ...change,
    })?.version;

  it.each(['batch', 'flex', 'priority', 'other'] as const)('have no price for the tier %s if none is set', tier => {
    expect(versionOf([], { serviceTier: tier })).toBeUndefined();
    expect(versionOf([override('standard')], { serviceTier: tier })).toBeUndefined();
    expect(versionOf([override('own', { serviceTier: tier })], { serviceTier: tier })).toBe('own');
    expect(versionOf([override('own', { serviceTier: tier })], {})).toBe(GENAI_PRICES_VERSION);
  });

  it('prefer the price of a region, and use the price for every region without one', () => {
    const both = [override('all'), override('eu', { region: 'EU-West-1' })];
    expect(versionOf(both, { region: 'eu-west-1' })).toBe('eu');
    expect(versionOf(both, { region: 'us-east-1' })).toBe('all');
    expect(versionOf(both, {})).toBe('all');
    expect(versionOf([], { region: 'eu-west-1' })).toBe(GENAI_PRICES_VERSION);
  });

  it('prefer a more specific model or provider to a region, and a region to a later start', () => {
    const region = { region: 'eu' };
    const later = { effectiveFrom: new Date('2026-11-01T00:00:00Z') };
    const eu = override('eu', { model: 'gpt-*', ...region });
    expect(versionOf([eu, override('longer', { model: 'gpt-4*' })], region)).toBe('longer');
    expect(versionOf([eu, override('provider', { model: 'gpt-*', provider: 'openai' })], region)).toBe('provider');
    expect(versionOf([eu, override('later', { model: 'gpt-*', ...later })], region)).toBe('eu');
  });
});
