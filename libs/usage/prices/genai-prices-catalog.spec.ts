import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { calcPrice, findProvider } from '@pydantic/genai-prices';
import * as fc from 'fast-check';
import { GENAI_PRICES_VERSION, GenaiPricesCatalog } from './genai-prices-catalog.js';

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

describe('the genai-prices catalog', () => {
  it('names the installed version', () => {
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
          // The rule of a model earlier in the catalogue can match the name. The test then skips the case.
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

  it('uses the tier by the input of each request', () => {
    expect(picodollars('google', 'gemini-2.5-pro', 200_000, 0)).toBe(250_000_000_000n);
    expect(picodollars('google', 'gemini-2.5-pro', 200_001, 0)).toBe(500_002_500_000n);
  });

  it('applies the price at the time of the request', () => {
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
    ['google', 'models/gemini-2.5-pro', 'google/gemini-2.5-pro'],
    ['google', 'google/gemini-2.5-pro', 'google/gemini-2.5-pro'],
    ['vertex_ai', 'publishers/google/models/gemini-2.5-flash', 'google/gemini-2.5-flash'],
    ['vertex_ai', 'projects/p/locations/l/publishers/google/models/gemini-2.5-flash', 'google/gemini-2.5-flash'],
    ['vertex_ai', 'publishers/anthropic/models/claude-sonnet-4-5', 'google/claude-sonnet-4-5'],
    ['litellm', 'gemini/gemini-2.5-pro', 'google/gemini-2.5-pro'],
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

  // The prices of these models are promised in docs/usage.md.
  it.each([
    ['azure', 'gpt-4o gpt-4o-mini gpt-4.1 gpt-4.1-mini gpt-5 gpt-5-mini gpt-5-nano gpt-35-turbo o1 o3 o3-mini o4-mini'],
    ['azure', 'text-embedding-3-small text-embedding-3-large text-embedding-ada-002 claude-sonnet-4-5 grok-3 phi-4'],
    ['bedrock', 'anthropic.claude-3-5-sonnet-20241022-v2:0 us.anthropic.claude-sonnet-4-5-20250929-v1:0'],
    ['bedrock', 'global.anthropic.claude-sonnet-4-5-20250929-v1:0 apac.anthropic.claude-3-haiku-20240307-v1:0'],
    ['bedrock', 'amazon.nova-pro-v1:0 us.amazon.nova-lite-v1:0 amazon.nova-micro-v1:0 amazon.titan-embed-text-v2:0'],
    ['bedrock', 'us.meta.llama3-3-70b-instruct-v1:0 mistral.mistral-large-2402-v1:0 us.deepseek.r1-v1:0'],
    ['bedrock', 'openai.gpt-oss-120b-1:0 qwen.qwen3-32b-v1:0'],
    [
      'bedrock',
      'arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-sonnet-4-5-20250929-v1:0',
    ],
    ['vertex_ai', 'gemini-2.5-pro gemini-2.5-flash gemini-2.5-flash-lite gemini-3-pro-preview gemini-embedding-001'],
    ['vertex_ai', 'claude-sonnet-4-5@20250929 claude-opus-4-1@20250805'],
  ])('prices the common names of %s: %s', (provider, names) => {
    const quotes = names.split(' ').map(name => [name, picodollars(provider, name, 1_000, 0)]);
    expect(quotes.filter(([, quote]) => !quote)).toEqual([]);
  });

  it.each([
    ['azure', 'Mistral-large-2411 DeepSeek-V3 Llama-3.3-70B-Instruct model-router'],
    ['bedrock', 'cohere.command-r-plus-v1:0 cohere.embed-english-v3 ai21.jamba-1-5-large-v1:0'],
    [
      'vertex_ai',
      'meta/llama-3.3-70b-instruct-maas mistral-large-2411 deepseek-ai/deepseek-v3.1-maas text-embedding-005',
    ],
  ])('does not know these of %s, as docs/usage.md says: %s', (provider, names) => {
    expect(names.split(' ').filter(name => catalog.identify(provider, name) !== null)).toEqual([]);
  });

  it('answers null, not zero, for tokens of a model that is priced by hours', () => {
    expect(picodollars('openai', 'whisper-1', 1_000, 10)).toBeUndefined();
  });

  it('answers zero for a model that the catalog lists as free', () => {
    expect(picodollars('google', 'gemma-3', 1_000, 10)).toBe(0n);
  });

  it('charges units other than tokens if the model has a price for them', () => {
    const tokens = { input_tokens: 1_000, output_tokens: 0 };
    const request = { provider: 'anthropic', model: 'claude-sonnet-4-0', at };
    const plain = catalog.quote({ ...request, tokens })!.picodollars;
    const searched = catalog.quote({ ...request, tokens: { ...tokens, units: { web_searches: 2 } } })!.picodollars;
    expect(searched - plain).toBe(20_000_000_000n);
  });

  it('charges units by the price at the time', () => {
    const tokens = { input_tokens: 300_000, output_tokens: 0, units: { web_searches: 1 } };
    const request = { provider: 'anthropic', model: 'claude-opus-4-6', tokens };
    expect(catalog.quote({ ...request, at: new Date('2026-03-12T00:00:00Z') })?.picodollars).toBe(3_010_000_000_000n);
    expect(catalog.quote({ ...request, at: new Date('2026-03-14T00:00:00Z') })?.picodollars).toBe(1_510_000_000_000n);
  });

  it('uses the token classes if the units contradict them', () => {
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
