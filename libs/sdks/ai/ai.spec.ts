import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, jsonSchema, stepCountIs, streamText, tool, wrapLanguageModel, type LanguageModel } from 'ai';
import { governanceMiddleware } from 'nest-llm-governance/ai';
import { RefusedError } from '#calls';
import { BookedCalls, overBudget } from '../../../test/support/booked-calls.js';
import { startProvider, type Provider } from '../../../test/support/providers/provider.js';
import { aiUsageOf } from './ai-usage.js';

const prompt = 'What does it cost?';

let openai: Provider;
let anthropic: Provider;
let calls: BookedCalls;

beforeAll(async () => {
  openai = await startProvider({ kind: 'openai' });
  anthropic = await startProvider({ kind: 'anthropic' });
});
beforeEach(() => {
  openai.clear();
  anthropic.clear();
  calls = new BookedCalls();
});
afterAll(() => Promise.all([openai.close(), anthropic.close()]));

const middleware = () => governanceMiddleware(calls, () => ({ orgId: 'org-1', user_id: 'u-1' }));
const openaiModel = (): LanguageModel =>
  wrapLanguageModel({
    model: createOpenAI({ apiKey: openai.key, baseURL: `${openai.url}/v1` })('gpt-4o-mini'),
    middleware: middleware(),
  });
const anthropicModel = (): LanguageModel =>
  wrapLanguageModel({
    model: createAnthropic({ apiKey: anthropic.key, baseURL: `${anthropic.url}/v1` })('claude-sonnet-5-5'),
    middleware: middleware(),
  });

describe('a text', () => {
  it('is decided before the call and settled after it, with its cached tokens', async () => {
    openai.behave({ promptTokens: 100, cachedTokens: 60, reasoningTokens: 4, outputTokens: 9 });
    const { finalStep } = await generateText({ model: openaiModel(), prompt, maxOutputTokens: 50 });
    expect(calls.last).toMatchObject({
      request: { user_id: 'u-1', provider: 'openai', model: 'gpt-4o-mini', max_output_tokens: 50 },
      settled: {
        ...{ id: finalStep.response.id, model: 'gpt-4o-mini-2024-07-18' },
        usage: { inputTokens: { total: 100, cacheRead: 60 }, outputTokens: { total: 13, reasoning: 4 } },
      },
    });
  });

  it('of Anthropic includes the cached tokens in its input', async () => {
    anthropic.behave({ promptTokens: 100, cachedTokens: 60, cacheWriteTokens: 20, outputTokens: 9 });
    await generateText({ model: anthropicModel(), prompt });
    expect(calls.last).toMatchObject({
      request: { provider: 'anthropic' },
      settled: { usage: { inputTokens: { total: 100, cacheRead: 60, cacheWrite: 20 }, outputTokens: { total: 9 } } },
    });
  });

  it('sends no request to the provider if it is refused, and is not retried', async () => {
    calls.refusal = overBudget();
    await expect(generateText({ model: openaiModel(), prompt, maxRetries: 3 })).rejects.toBeInstanceOf(RefusedError);
    expect(openai.totals.requests).toBe(0);
  });

  it('is one call per attempt, and a failed one is released', async () => {
    openai.next({ error: { status: 500, headers: { 'retry-after-ms': '1' } } }, {});
    await generateText({ model: openaiModel(), prompt, maxRetries: 1 });
    expect(calls.calls).toMatchObject([{ released: true }, { settled: {} }]);
  });

  it('is one call per step if the model calls tools', async () => {
    openai.next({ tools: [{ name: 'weather', arguments: { city: 'Zürich' } }] }, { outputTokens: 5 });
    const weather = tool({ inputSchema: jsonSchema({ type: 'object' }), execute: async () => 'sunny' });
    await generateText({ model: openaiModel(), prompt, tools: { weather }, stopWhen: stepCountIs(3) });
    expect(calls.calls.map(({ settled }) => settled?.usage)).toMatchObject(
      openai.served.map(({ outputTokens }) => ({ outputTokens: { total: outputTokens } })),
    );
    expect(calls.calls).toHaveLength(2);
  });
});

describe('a streamed text', () => {
  it('is settled by the usage at its end', async () => {
    openai.behave({ promptTokens: 100, cachedTokens: 60, outputTokens: 9 });
    const { text, finalStep } = streamText({ model: openaiModel(), prompt });
    await text;
    expect(calls.last.settled).toMatchObject({
      ...{ id: (await finalStep).response.id },
      usage: { inputTokens: { total: 100, cacheRead: 60 }, outputTokens: { total: 9 } },
    });
  });

  it('closes the connection to the provider and is settled by the streamed usage when the caller aborts', async () => {
    openai.behave({ outputTokens: 1_000, delayMs: 2 });
    const abort = new AbortController();
    let seen = 0;
    const { textStream } = streamText({ model: openaiModel(), prompt, abortSignal: abort.signal });
    for await (const text of textStream) {
      if (text !== '') seen += 1;
      if (seen === 20) abort.abort();
    }
    await Promise.all([calls.idle(), openai.idle()]);
    expect(openai.served[0]?.outcome).toBe('cut');
    expect(calls.last.settled).toMatchObject({ estimated: true });
    expect(calls.last.settled?.output_tokens).toBeGreaterThanOrEqual(20);
  });

  it.each(['reset', 'end'] as const)(
    'is settled by the streamed usage when the provider breaks it off by %s',
    async how => {
      openai.behave({ outputTokens: 100, death: { how, at: 20 } });
      const errors: unknown[] = [];
      const streamed = streamText({ model: openaiModel(), prompt });
      await streamed.consumeStream({ onError: error => void errors.push(error) });
      await calls.idle();
      expect(calls.last.settled).toMatchObject({ estimated: true });
      expect(calls.last.settled?.output_tokens).toBeGreaterThanOrEqual(20);
      if (how === 'reset') expect(errors).toHaveLength(1);
    },
  );

  const usage = { inputTokens: { total: 10 }, outputTokens: { total: 4 } };
  const streamOf = (parts: { type: string }[], abortSignal?: AbortSignal) =>
    middleware().wrapStream({
      doStream: async () => ({ stream: ReadableStream.from(parts) }),
      ...{ params: { prompt: [], abortSignal }, model: { provider: 'acme.chat', modelId: 'acme-1' } },
    });

  it('ends only after the usage is stored', async () => {
    const { stream } = await streamOf([{ type: 'text-start' }, { type: 'finish', usage } as { type: string }]);
    const settled: boolean[] = [];
    for await (const part of stream) settled.push(part.type === 'finish' ? calls.last.settled !== undefined : false);
    expect(settled).toEqual([false, true]);
    expect(calls.last.request.provider).toBe('acme');
  });

  it('releases its call if the signal was aborted before the start and nobody reads', async () => {
    await streamOf([{ type: 'text-start' }], AbortSignal.abort());
    await calls.idle();
    expect(calls.last).toMatchObject({ released: true });
  });

  it('releases its call if the provider fails before the first chunk', async () => {
    openai.behave({ error: { status: 400 } });
    const streamed = streamText({ model: openaiModel(), prompt, onError: () => undefined });
    await streamed.consumeStream();
    expect(calls.last).toMatchObject({ released: true, settled: undefined });
  });
});

describe('a usage object of the AI SDK', () => {
  it.each([
    [{ inputTokens: 10, outputTokens: 4, totalTokens: 14, cachedInputTokens: 6, reasoningTokens: 3 }],
    [
      {
        ...{ inputTokens: 10, outputTokens: 4, inputTokenDetails: { cacheReadTokens: 6 } },
        outputTokenDetails: { reasoningTokens: 3 },
      },
    ],
    [{ inputTokens: { total: 10, cacheRead: 6 }, outputTokens: { total: 4, reasoning: 3 } }],
  ])('is read with its cached tokens: %j', usage => {
    expect(aiUsageOf(usage)).toEqual({
      ...{ inputTokens: { total: 10, cacheRead: 6 }, outputTokens: { total: 4, reasoning: 3 } },
    });
  });

  it.each([[undefined], [{}], [{ inputTokens: { total: undefined }, outputTokens: { total: 4 } }]])(
    'is none if it has no totals: %j',
    usage => expect(aiUsageOf(usage)).toBeUndefined(),
  );
});
