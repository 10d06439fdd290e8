import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ChatOpenAI } from '@langchain/openai';
import { governanceCallbacks, type CallbackOptions } from 'nest-llm-governance/langchain';
import { RefusedError } from '#calls';
import { BookedCalls, overBudget } from '../../../test/support/booked-calls.js';
import { startProvider, type Provider } from '../../../test/support/providers/provider.js';

let provider: Provider;
let calls: BookedCalls;

beforeAll(async () => {
  provider = await startProvider({ kind: 'openai' });
});
beforeEach(() => {
  provider.clear();
  calls = new BookedCalls();
});
afterAll(() => provider.close());

function chat(options: CallbackOptions = {}, useResponsesApi = false): ChatOpenAI {
  const callerOf = ({ metadata }: { metadata: Readonly<Record<string, unknown>> }) => ({
    orgId: 'org-1',
    user_email: String(metadata['user']),
  });
  return new ChatOpenAI({
    ...{ model: 'gpt-4o-mini', apiKey: provider.key, maxTokens: 50, maxRetries: 1, useResponsesApi },
    configuration: { baseURL: `${provider.url}/v1` },
    callbacks: [governanceCallbacks(calls, callerOf, options)],
    metadata: { user: 'ada@example.com' },
  });
}

describe('a chat model', () => {
  it.each([false, true])(
    'is decided before the call and settled after it if it uses the Responses API: %s',
    async responses => {
      provider.behave({ promptTokens: 100, cachedTokens: 60, outputTokens: 9, reasoningTokens: 4 });
      await chat({}, responses).invoke('What does it cost?');
      expect(calls.last).toMatchObject({
        request: {
          ...{ user_email: 'ada@example.com', provider: 'openai', model: 'gpt-4o-mini', max_output_tokens: 50 },
          estimated_input_tokens: 8,
        },
        settled: {
          ...{ id: provider.served[0]?.answerId, model: 'gpt-4o-mini-2024-07-18' },
          usage: { inputTokens: { total: 100, cacheRead: 60 }, outputTokens: { total: 13, reasoning: 4 } },
        },
      });
    },
  );

  it('sends no request to the provider if it is refused', async () => {
    calls.refusal = overBudget();
    // LangChain also writes the errors of callback handlers to the console.
    const written = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    await expect(chat().invoke('What does it cost?')).rejects.toBeInstanceOf(RefusedError);
    expect(provider.totals.requests).toBe(0);
    written.mockRestore();
  });

  it('is released if the provider refuses', async () => {
    provider.behave({ error: { status: 400 } });
    await expect(chat().invoke('What does it cost?')).rejects.toThrow(/400/);
    expect(calls.last).toMatchObject({ released: true });
  });

  it('is settled by the usage at its end if it streams', async () => {
    provider.behave({ promptTokens: 100, cachedTokens: 60, outputTokens: 9 });
    let text = '';
    for await (const chunk of await chat().stream('What does it cost?')) text += chunk.text;
    expect(text).not.toBe('');
    expect(calls.last.settled).toMatchObject({
      usage: { inputTokens: { total: 100, cacheRead: 60 }, outputTokens: { total: 9 } },
    });
    expect(calls.last.covered).toBeGreaterThan(0);
  });

  it.each(['reset', 'error'] as const)(
    'is settled by the streamed usage when the provider breaks it off by %s',
    async how => {
      provider.behave({ outputTokens: 100, death: { how, at: 20 } });
      const read = async (): Promise<void> => {
        for await (const chunk of await chat().stream('What does it cost?')) expect(chunk).toBeDefined();
      };
      await expect(read()).rejects.toThrow(/terminated|error/i);
      expect(calls.last.settled).toMatchObject({ input_tokens: 8, estimated: true });
      expect(calls.last.settled?.output_tokens).toBeGreaterThanOrEqual(20);
    },
  );

  it('is settled by the streamed usage when the caller aborts', async () => {
    provider.behave({ outputTokens: 1_000, delayMs: 2 });
    const abort = new AbortController();
    const read = async (): Promise<void> => {
      let seen = 0;
      for await (const chunk of await chat().stream('What does it cost?', { signal: abort.signal })) {
        if (chunk) seen += 1;
        if (seen === 20) abort.abort();
      }
    };
    await expect(read()).rejects.toThrow(/abort/i);
    await Promise.all([calls.idle(), provider.idle()]);
    expect(calls.last.settled).toMatchObject({ estimated: true });
    expect(calls.last.settled?.output_tokens).toBeGreaterThanOrEqual(19);
  });

  it('is settled by the streamed usage some time after the caller stopped reading', async () => {
    provider.behave({ outputTokens: 1_000, delayMs: 2 });
    let seen = 0;
    for await (const chunk of await chat({ idleSeconds: 0.05 }).stream('What does it cost?')) {
      if (chunk) seen += 1;
      if (seen === 20) break;
    }
    await Promise.all([calls.idle(), provider.idle()]);
    expect(calls.last.settled?.output_tokens).toBeGreaterThanOrEqual(19);
  });
});
