import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { calcPrice, findProvider } from '@pydantic/genai-prices';
import * as fc from 'fast-check';
import { GENAI_PRICES_VERSION, GenaiPricesCatalog } from './genai-prices.catalog.js';

const catalog = new GenaiPricesCatalog();
const at = new Date('2026-11-20T13:00:00Z');

function picodollars(provider: string, model: string, input: number, output: number, when = at): bigint | undefined {
  const tokens = { input_tokens: input, output_tokens: output };
  return catalog.quote({ provider, model, at: when, tokens })?.picodollars;
}

const PROVIDERS =
  'anthropic avian aws azure cerebras cohere deepseek fireworks google groq minimax mistral moonshotai novita openai openrouter perplexity together voyageai x-ai zai zhipuai';
const models = PROVIDERS.split(' ').flatMap(id =>
  findProvider({ providerId: id })!.models.map(model => ({ provider: id, model })),
);

describe('the genai-prices catalogue', () => {
  it('names the version that is installed', () => {
    const file = new URL('../../../node_modules/@pydantic/genai-prices/package.json', import.meta.url);
    expect(GENAI_PRICES_VERSION).toBe((JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version);
    expect(
      catalog.quote({ provider: 'openai', model: 'gpt-4o', at, tokens: { input_tokens: 1, output_tokens: 1 } }),
    ).toEqual({
      picodollars: 12_500_000n,
      source: 'genai-prices',
      version: GENAI_PRICES_VERSION,
    });
  });

  it('agrees with the package for every model, at any time of any day', () => {
    const token = fc.nat({ max: 400_000 });
    fc.assert(
      fc.property(
        fc.constantFrom(...models),
        fc.tuple(token, token, token, token, token),
        fc.date({ min: new Date('2024-01-01'), max: new Date('2027-12-31'), noInvalidDate: true }),
        ({ provider, model }, [fresh, read, write, visible, reasoning], when) => {
          const request = {
            input_tokens: fresh + read + write,
            output_tokens: visible + reasoning,
            cache_read_tokens: read,
            cache_write_tokens: write,
          };
          const alone = {
            ...findProvider({ providerId: provider })!,
            models: [{ ...model, match: { equals: model.id } }],
          };
          const usage = { ...request, output_reasoning_tokens: reasoning };
          const theirs = calcPrice(usage, model.id, { provider: alone, timestamp: when })!.total_price;
          // Names can be caught by an earlier model's rule; what is compared is the model that the name leads to.
          const found = calcPrice({}, model.id, { providerId: provider });
          fc.pre(found?.model.id === model.id);
          const ours = catalog.quote({
            provider,
            model: model.id,
            at: when,
            tokens: { ...request, reasoning_tokens: reasoning },
          });
          if (!ours) return expect(theirs).toBe(0);
          expect(Math.abs(Number(ours.picodollars) - theirs * 1e12)).toBeLessThanOrEqual(1 + theirs);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('takes the tier by the input of the one request', () => {
    expect(picodollars('google', 'gemini-2.5-pro', 200_000, 0)).toBe(250_000_000_000n);
    expect(picodollars('google', 'gemini-2.5-pro', 200_001, 0)).toBe(500_002_500_000n);
  });

  it('applies the price that was in force when the request happened', () => {
    const before = picodollars('anthropic', 'claude-opus-4-6', 300_000, 0, new Date('2026-03-12T23:59:59.999Z'));
    const after = picodollars('anthropic', 'claude-opus-4-6', 300_000, 0, new Date('2026-03-13T00:00:00Z'));
    expect([before, after]).toEqual([3_000_000_000_000n, 1_500_000_000_000n]);
  });

  it('applies prices by the time of day', () => {
    const night = picodollars('deepseek', 'deepseek-reasoner', 1_000_000, 0, new Date('2026-11-20T00:29:59.999Z'));
    const day = picodollars('deepseek', 'deepseek-reasoner', 1_000_000, 0, new Date('2026-11-20T00:30:00Z'));
    expect([night, day]).toEqual([135_000_000_000n, 550_000_000_000n]);
  });

  it('charges cached tokens at their own price and not again as input', () => {
    const tokens = { input_tokens: 1_000, output_tokens: 0, cache_read_tokens: 600, cache_write_tokens: 300 };
    const quote = catalog.quote({ provider: 'anthropic', model: 'claude-sonnet-4-0', at, tokens });
    expect(quote?.picodollars).toBe(100n * 3_000_000n + 600n * 300_000n + 300n * 3_750_000n);
  });

  it.each([
    ['Azure-OpenAI', 'gpt-4o', 'azure/'],
    ['azure.ai.openai', 'gpt-4o', 'azure/'],
    ['aws.bedrock', 'anthropic.claude-3-5-sonnet-20241022-v2:0', 'aws/'],
    ['bedrock', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'aws/'],
    ['vertex_ai', 'gemini-2.5-pro', 'google/'],
    ['gcp.gen_ai', 'gemini-2.5-pro', 'google/'],
    ['vertex', 'claude-sonnet-4-5', 'google/'],
    ['x_ai', 'grok-4', 'x-ai/'],
    ['OpenAI', 'GPT-4o', 'openai/'],
    ['openai', 'openai/gpt-4o', 'openai/'],
    ['litellm', 'azure/gpt-4o', 'azure/'],
    ['together_ai', 'meta-llama/Llama-3.3-70B-Instruct-Turbo', 'together/'],
  ])('knows %s / %s', (provider, model, prefix) => {
    expect(catalog.identify(provider, model)?.startsWith(prefix)).toBe(true);
  });

  it.each([
    ['openai', 'no-such-model'],
    ['no-such-provider', 'gpt-4o'],
    ['', ''],
    ['__proto__', 'constructor'],
  ])('answers null for %j / %j', (provider, model) => {
    expect(catalog.quote({ provider, model, at, tokens: { input_tokens: 1, output_tokens: 1 } })).toBeNull();
    expect(catalog.identify(provider, model)).toBeNull();
  });

  it('answers null, not zero, for tokens of a model that is priced by hours', () => {
    expect(picodollars('openai', 'whisper-1', 1_000, 10)).toBeUndefined();
  });

  it('answers zero for a model that the catalogue lists as free', () => {
    expect(picodollars('google', 'gemma-3', 1_000, 10)).toBe(0n);
  });

  it('charges units beyond tokens where the model has a price for them', () => {
    const tokens = { input_tokens: 1_000, output_tokens: 0 };
    const request = { provider: 'anthropic', model: 'claude-sonnet-4-0', at };
    const plain = catalog.quote({ ...request, tokens })!.picodollars;
    const searched = catalog.quote({ ...request, tokens: { ...tokens, units: { web_searches: 2 } } })!.picodollars;
    expect(searched - plain).toBe(20_000_000_000n);
  });

  it('charges units by the price in force then', () => {
    const tokens = { input_tokens: 300_000, output_tokens: 0, units: { web_searches: 1 } };
    const request = { provider: 'anthropic', model: 'claude-opus-4-6', tokens };
    expect(catalog.quote({ ...request, at: new Date('2026-03-12T00:00:00Z') })?.picodollars).toBe(3_010_000_000_000n);
    expect(catalog.quote({ ...request, at: new Date('2026-03-14T00:00:00Z') })?.picodollars).toBe(1_510_000_000_000n);
  });

  it('falls back to the token classes where the units contradict them', () => {
    const tokens = {
      input_tokens: 1_000,
      output_tokens: 0,
      cache_write_tokens: 10,
      units: { cache_write_1h_tokens: 99 },
    };
    const quote = catalog.quote({ provider: 'anthropic', model: 'claude-sonnet-4-0', at, tokens });
    expect(quote?.picodollars).toBe(990n * 3_000_000n + 10n * 3_750_000n);
  });
});
