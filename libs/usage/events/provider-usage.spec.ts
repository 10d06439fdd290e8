import { describe, expect, it } from '@jest/globals';
import { parseUsageEvent } from './parse-usage-event.js';
import type { ParsedUsageEvent, ParseResult } from './usage-event.js';

const now = new Date('2026-11-20T13:00:00Z');
const withoutCounts = {
  id: 'evt-1',
  user_id: '0190B5A0-0000-7000-8000-00000000000A',
  provider: 'openai',
  model: 'gpt-5',
  occurred_at: '2026-11-20T12:59:00Z',
};

function accepted(result: ParseResult): ParsedUsageEvent {
  if (!result.ok) throw new Error(`${result.field}: ${result.message}`);
  return result.event;
}

function refusedField(result: ParseResult): string | undefined {
  return result.ok ? undefined : result.field;
}

describe("a provider's own usage object", () => {
  const parseUsage = (change: object) => parseUsageEvent({ ...withoutCounts, ...change }, now);

  it('of Anthropic has its cached tokens added to the input', () => {
    const usage = { input_tokens: 10, cache_read_input_tokens: 100, cache_creation_input_tokens: 5, output_tokens: 7 };
    expect(accepted(parseUsage({ provider: 'anthropic', model: 'claude-sonnet-4-5', usage })).tokens).toMatchObject({
      input_tokens: 115,
      output_tokens: 7,
      cache_read_tokens: 100,
      cache_write_tokens: 5,
    });
  });

  it('of OpenAI is read in both its formats without a flavor', () => {
    const chat = { prompt_tokens: 10, completion_tokens: 4, prompt_tokens_details: { cached_tokens: 6 } };
    const responses = { input_tokens: 10, output_tokens: 4, output_tokens_details: { reasoning_tokens: 3 } };
    expect(accepted(parseUsage({ usage: chat })).tokens).toMatchObject({ input_tokens: 10, cache_read_tokens: 6 });
    expect(accepted(parseUsage({ usage: responses })).tokens).toMatchObject({ output_tokens: 4, reasoning_tokens: 3 });
  });

  it('is read by the flavor that recognizes most of it, if a provider has several', () => {
    const usage = { input_tokens: 10, cache_read_input_tokens: 100, cache_creation_input_tokens: 0, output_tokens: 7 };
    expect(accepted(parseUsage({ provider: 'azure', model: 'claude-sonnet-4-5', usage })).tokens.input_tokens).toBe(
      110,
    );
  });

  it('is read the same way whatever objects were read before', () => {
    const tokensOf = (usage: object): unknown => {
      const result = parseUsage({ usage });
      return result.ok ? result.event.tokens.input_tokens : result.field;
    };
    const chat = (count: unknown): object => ({ prompt_tokens: count, completion_tokens: 4 });
    const shapes = [
      ...[chat(10), chat(20), { prompt_tokens: 30 }, { prompt_tokens: 31 }, { usage: chat(40) }, { usage: chat(41) }],
      ...[{ input_tokens: 50, output_tokens: 1 }, chat('60'), { other: 1 }, { other: 2 }, chat(70), chat(-1), chat(80)],
    ];
    const read = [10, 20, 30, 31, 40, 41, 50, 60, 'usage', 'usage', 70, 'usage', 80];
    expect(shapes.map(tokensOf)).toEqual(read);
    expect(shapes.toReversed().map(tokensOf)).toEqual(read.toReversed());
  });

  it('with a number that is too large is refused, without affecting later objects of its shape', () => {
    // Infinity is the value that JSON.parse returns for 1e999.
    const tooLarge = { prompt_tokens: Number.POSITIVE_INFINITY, completion_tokens: 4, prompt_tokens_details: {} };
    expect(refusedField(parseUsage({ usage: tooLarge }))).toBe('usage');
    const whole = { ...tooLarge, prompt_tokens: 90 };
    expect(accepted(parseUsage({ usage: whole })).tokens.input_tokens).toBe(90);
  });

  it('may be within the response that contains it', () => {
    const response = { usage: { prompt_tokens: 10, completion_tokens: 4 } };
    expect(accepted(parseUsage({ usage: response, api_flavor: 'chat' })).tokens.input_tokens).toBe(10);
  });

  it('of Cohere is found at the depth where Cohere puts it', () => {
    const usage = {
      billed_units: { input_tokens: 5, output_tokens: 3 },
      tokens: { input_tokens: 71, output_tokens: 9 },
    };
    const tokens = accepted(
      parseUsage({ provider: 'cohere', model: 'command-a-03-2025', usage, api_flavor: 'default' }),
    ).tokens;
    expect(tokens).toMatchObject({ input_tokens: 5, output_tokens: 3 });
  });

  it('keeps billed units besides the token classes', () => {
    const usage = { input_tokens: 10, output_tokens: 7, server_tool_use: { web_search_requests: 2 } };
    expect(accepted(parseUsage({ provider: 'anthropic', usage })).tokens.units).toEqual({ web_searches: 2 });
  });

  it('of Mistral has its cached tokens counted', () => {
    const mistral = { provider: 'mistral', model: 'mistral-large-latest' };
    const usage = { prompt_tokens: 10, completion_tokens: 4, total_tokens: 14, num_cached_tokens: 6 };
    const tokensOf = (change: object) => accepted(parseUsage({ ...mistral, usage: change })).tokens;
    expect(tokensOf(usage)).toMatchObject({ input_tokens: 10, cache_read_tokens: 6 });
    expect(tokensOf({ usage })).toMatchObject({ input_tokens: 10, cache_read_tokens: 6 });
    expect(tokensOf({ ...usage, prompt_tokens_details: { cached_tokens: 5 } }).cache_read_tokens).toBe(5);
    expect(tokensOf({ ...usage, num_cached_tokens: null }).cache_read_tokens).toBe(0);
    expect(refusedField(parseUsage({ ...mistral, usage: { ...usage, num_cached_tokens: -1 } }))).toBe('usage');
  });

  it.each<[string, object]>([
    [
      'of its models',
      { inputTokens: { total: 10, noCache: 3, cacheRead: 6, cacheWrite: 1 }, outputTokens: { total: 4, reasoning: 2 } },
    ],
    [
      'of its functions',
      {
        ...{ inputTokens: 10, outputTokens: 4, totalTokens: 14, reasoningTokens: 2, cachedInputTokens: 6 },
        inputTokenDetails: { noCacheTokens: 3, cacheReadTokens: 6, cacheWriteTokens: 1 },
        outputTokenDetails: { textTokens: 2, reasoningTokens: 2 },
      },
    ],
  ])('of the AI SDK, %s, has its cached tokens counted, whatever the provider', (_name, usage) => {
    for (const provider of ['openai', 'anthropic', 'google', 'our-gateway']) {
      expect(accepted(parseUsage({ provider, model: 'm', usage })).tokens).toEqual({
        ...{ input_tokens: 10, output_tokens: 4, cache_read_tokens: 6, cache_write_tokens: 1, reasoning_tokens: 2 },
      });
    }
  });

  it('of the AI SDK before its version 6 is flat', () => {
    const usage = { inputTokens: 10, outputTokens: '4', totalTokens: 14, cachedInputTokens: 6, reasoningTokens: null };
    expect(accepted(parseUsage({ usage })).tokens).toMatchObject({ output_tokens: 4, cache_read_tokens: 6 });
  });

  it('of Amazon is not treated as one of the AI SDK', () => {
    const usage = { inputTokens: 10, outputTokens: 4, totalTokens: 104, cacheReadInputTokens: 90 };
    expect(accepted(parseUsage({ provider: 'bedrock', model: 'm', usage })).tokens.input_tokens).toBe(100);
  });

  it('has no units if none were used', () => {
    const usage = { input_tokens: 10, output_tokens: 7, server_tool_use: { web_search_requests: 0 } };
    expect(accepted(parseUsage({ provider: 'anthropic', usage })).tokens.units).toBeUndefined();
  });

  it('of a provider that the catalog does not know is read in the common formats', () => {
    const usage = { prompt_tokens: 10, completion_tokens: 4 };
    expect(accepted(parseUsage({ provider: 'our-gateway', model: 'our-model', usage })).tokens.input_tokens).toBe(10);
  });

  it('of a gateway is read in the common format that recognizes most of it', () => {
    const gateway = { provider: 'our-gateway', model: 'our-model' };
    const inputOf = (usage: object) => accepted(parseUsage({ ...gateway, usage })).tokens.input_tokens;
    expect(inputOf({ input_tokens: 10, output_tokens: 4, cache_read_input_tokens: 90 })).toBe(100);
    expect(inputOf({ promptTokenCount: 10, candidatesTokenCount: 4 })).toBe(10);
    expect(inputOf({ inputTokens: 10, outputTokens: 4, cacheReadInputTokens: 90 })).toBe(100);
  });

  it("is read in a common format if it is not in the provider's", () => {
    const usage = { input_tokens: 10, output_tokens: 4, cache_read_input_tokens: 90 };
    expect(accepted(parseUsage({ provider: 'deepseek', model: 'deepseek-chat', usage })).tokens).toMatchObject({
      input_tokens: 100,
      cache_read_tokens: 90,
    });
    expect(refusedField(parseUsage({ provider: 'deepseek', usage, api_flavor: 'chat' }))).toBe('usage');
  });

  it('of Cohere is read by the billed units of Cohere, also without a flavor', () => {
    const usage = {
      billed_units: { input_tokens: 5, output_tokens: 3 },
      tokens: { input_tokens: 71, output_tokens: 9 },
      cached_tokens: 16,
    };
    const tokens = accepted(parseUsage({ provider: 'cohere', model: 'command-a-03-2025', usage })).tokens;
    expect(tokens).toMatchObject({ input_tokens: 5, output_tokens: 3, cache_read_tokens: 0 });
  });

  it('treats a count in a text as a number, and null as missing', () => {
    const usage = {
      prompt_tokens: '10',
      completion_tokens: 4,
      service_tier: 'default',
      prompt_tokens_details: { cached_tokens: '6', audio_tokens: null },
      completion_tokens_details: null,
    };
    expect(accepted(parseUsage({ usage })).tokens).toMatchObject({ input_tokens: 10, cache_read_tokens: 6 });
  });

  it.each([
    { prompt_tokens: 10, completion_tokens: -1 },
    { prompt_tokens: 10, completion_tokens: 'many' },
    { prompt_tokens: 10, completion_tokens: true },
    { prompt_tokens: 10, completion_tokens: 4, prompt_tokens_details: { cached_tokens: '6.5' } },
  ])('is refused and not read partly: %j', usage => expect(refusedField(parseUsage({ usage }))).toBe('usage'));

  it.each<[string, object]>([
    ['usage', { usage: { prompt_tokens: 1, completion_tokens: 1 }, input_tokens: 1 }],
    ['usage', { usage: { prompt_tokens: -1, completion_tokens: 1 } }],
    ['usage', { usage: { prompt_tokens: 1.5, completion_tokens: 1 } }],
    ['usage', { usage: { prompt_tokens: 'many', completion_tokens: 1 } }],
    ['usage', { usage: {} }],
    ['usage', { usage: { inputTokens: { total: undefined }, outputTokens: { total: 4 } } }],
    ['usage', { usage: { inputTokens: 10, cachedInputTokens: 6 } }],
    ['usage', { usage: { inputTokens: { total: -1 }, outputTokens: { total: 4 } } }],
    ['usage', { usage: [] }],
    ['usage', { usage: { prompt_tokens: 1, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 2 } } }],
    ['requests', { usage: { prompt_tokens: 1, completion_tokens: 1 }, requests: 2 }],
    ['api_flavor', { usage: { prompt_tokens: 1, completion_tokens: 1 }, api_flavor: 'telegraph' }],
    ['api_flavor', { usage: { prompt_tokens: 1, completion_tokens: 1 }, api_flavor: 7 }],
  ])('is refused, naming %s: %j', (field, change) => expect(refusedField(parseUsage(change))).toBe(field));
});
