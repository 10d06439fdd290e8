import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import Anthropic from '@anthropic-ai/sdk';
import { governedFetch } from 'nest-llm-governance/anthropic';
import { BookedCalls, overBudget } from '../../../test/support/booked-calls.js';
import { collect } from '../../../test/support/providers/collect.js';
import { startProvider, type Provider } from '../../../test/support/providers/provider.js';

const asked = {
  ...{ model: 'claude-sonnet-5-5', max_tokens: 2_000 },
  messages: [{ role: 'user' as const, content: 'What does it cost?' }],
};

let provider: Provider;
let calls: BookedCalls;

beforeAll(async () => {
  provider = await startProvider({ kind: 'anthropic' });
});
beforeEach(() => {
  provider.clear();
  calls = new BookedCalls();
});
afterAll(() => provider.close());

const clientOf = (maxRetries = 0): Anthropic =>
  new Anthropic({
    ...{ apiKey: provider.key, baseURL: provider.url, maxRetries },
    fetch: governedFetch(calls, () => ({ orgId: 'org-1', user_id: 'u-1' })),
  });

/** The usage with which the last call was settled. */
function settledUsage(): Record<string, number> {
  return { ...(calls.last.settled?.usage as Record<string, number> | undefined) };
}

describe('a message', () => {
  it('is decided before the call and settled after it, with its cached tokens', async () => {
    provider.behave({ promptTokens: 100, cachedTokens: 60, cacheWriteTokens: 20, outputTokens: 9 });
    const message = await clientOf().messages.create(asked);
    expect(calls.last).toMatchObject({
      request: { user_id: 'u-1', provider: 'anthropic', estimated_input_tokens: 8, max_output_tokens: 2_000 },
      settled: { id: message.id, model: message.model, usage: provider.served[0]?.usage },
    });
    expect(calls.last.settled?.usage).toMatchObject({ input_tokens: 20, cache_read_input_tokens: 60 });
  });

  it('sends no request to the provider if it is refused, and is not retried', async () => {
    calls.refusal = overBudget();
    await expect(clientOf(5).messages.create(asked)).rejects.toMatchObject({
      ...{ status: 402, message: expect.stringContaining('Team') },
      error: { type: 'error', error: { type: 'billing_error', code: 'budget_exceeded' } },
    });
    expect(provider.totals.requests).toBe(0);
  });

  it('is one governed call for each attempt of the SDK, and a failed one is released', async () => {
    provider.next({ error: { status: 529, headers: { 'retry-after-ms': '1' } } }, {});
    await clientOf(2).messages.create(asked);
    expect(calls.calls).toMatchObject([{ released: true }, { settled: {} }]);
  });

  it('is not governed for token counting', async () => {
    await clientOf().messages.countTokens({ model: asked.model, messages: asked.messages });
    expect(calls.calls).toHaveLength(0);
  });
});

describe('a streamed message', () => {
  it('is settled by the usage of its start and its end', async () => {
    const tools = [{ name: 'weather', arguments: { city: 'Zürich 🚀' } }];
    provider.behave({ promptTokens: 100, cachedTokens: 60, outputTokens: 9, tools, pieces: [3, 50] });
    const message = await clientOf().messages.stream(asked).finalMessage();
    expect(calls.last.settled).toMatchObject({ id: message.id, model: message.model });
    expect(calls.last.settled?.usage).toMatchObject({
      ...{ input_tokens: 40, cache_read_input_tokens: 60 },
      output_tokens: provider.served[0]?.outputTokens,
    });
  });

  it('closes the connection to the provider and is settled by the streamed usage when the client disconnects', async () => {
    provider.behave({ outputTokens: 1_000, delayMs: 2, promptTokens: 100, cachedTokens: 60 });
    const stream = clientOf().messages.stream(asked);
    let seen = 0;
    stream.on('text', () => {
      seen += 1;
      if (seen === 20) stream.abort();
    });
    await expect(stream.done()).rejects.toThrow(/abort/i);
    await Promise.all([calls.idle(), provider.idle()]);
    const { sentTokens = 0, outcome } = provider.served[0] ?? {};
    expect(outcome).toBe('cut');
    expect(calls.last.settled).toMatchObject({ estimated: true });
    const { output_tokens: output, ...input } = settledUsage();
    expect(input).toMatchObject({ input_tokens: 40, cache_read_input_tokens: 60 });
    expect(output).toBeGreaterThanOrEqual(20);
    expect(output).toBeLessThanOrEqual(2 * sentTokens);
  });

  it.each(['reset', 'end', 'error'] as const)(
    'fails and is settled by the streamed usage when it breaks off by %s',
    async how => {
      provider.behave({ outputTokens: 100, death: { how, at: 20 } });
      const stream = await clientOf().messages.create({ ...asked, stream: true });
      await expect(collect(stream)).rejects.toThrow(/terminated|before its answer was complete|"error"/);
      expect(calls.last.settled).toMatchObject({ estimated: true });
      expect(settledUsage()['output_tokens']).toBeGreaterThanOrEqual(20);
    },
  );
});
