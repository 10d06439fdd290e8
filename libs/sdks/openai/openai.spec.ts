import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import { UnavailableError } from '#core';
import { governedFetch, type GovernedFetchOptions } from 'nest-llm-governance/openai';
import { BookedCalls, overBudget } from '../../../test/support/booked-calls.js';
import { collect } from '../../../test/support/providers/collect.js';
import { startProvider, type Provider } from '../../../test/support/providers/provider.js';

const MODEL = 'gpt-4o-mini';
const messages = [{ role: 'user' as const, content: 'What does it cost?' }];
const WEATHER = { name: 'weather', arguments: { city: 'Zürich 🚀', days: 3 } };

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

const clientOf = (options: GovernedFetchOptions = {}, maxRetries = 0): OpenAI =>
  new OpenAI({
    ...{ apiKey: provider.key, baseURL: `${provider.url}/v1`, maxRetries },
    fetch: governedFetch(calls, () => ({ orgId: 'org-1', user_email: 'ada@example.com' }), options),
  });

describe('a chat completion', () => {
  it('is decided before the call and settled after it', async () => {
    provider.next({ outputTokens: 20, cachedTokens: 3 });
    const { data, response } = await clientOf()
      .chat.completions.create({ model: MODEL, messages, max_completion_tokens: 50, n: 2 })
      .withResponse();
    expect(calls.last).toMatchObject({
      orgId: 'org-1',
      request: {
        ...{ user_email: 'ada@example.com', provider: 'openai', model: MODEL },
        ...{ estimated_input_tokens: 8, max_output_tokens: 100 },
      },
      settled: { id: data.id, model: data.model, usage: provider.served[0]?.usage },
    });
    expect(calls.last.settled).not.toHaveProperty('estimated');
    expect(response.headers.get('x-governance-decision-id')).toBe('decision-1');
  });

  it('is sent and read unchanged without governance', async () => {
    const asked = { model: MODEL, messages, tools: [] };
    const bare = new OpenAI({ apiKey: provider.key, baseURL: `${provider.url}/v1` });
    const [alone, governed] = [
      await bare.chat.completions.create(asked),
      await clientOf().chat.completions.create(asked),
    ];
    const [first, second] = provider.served;
    expect(second?.body).toEqual(first?.body);
    expect(Object.keys(second?.headers ?? {})).toEqual(Object.keys(first?.headers ?? {}));
    expect({ ...governed, id: '', created: 0 }).toEqual({ ...alone, id: '', created: 0 });
  });

  it('sends no request to the provider if it is refused, and is not retried', async () => {
    calls.refusal = overBudget();
    const asked = clientOf({}, 5).chat.completions.create({ model: MODEL, messages });
    await expect(asked).rejects.toMatchObject({
      ...{ status: 402, code: 'budget_exceeded', type: 'insufficient_quota' },
      message: expect.stringContaining('Team'),
    });
    expect(provider.totals.requests).toBe(0);
  });

  it('is one governed call for each attempt of the SDK, and a failed one is released', async () => {
    provider.next({ error: { status: 500, headers: { 'retry-after-ms': '1' } } }, {});
    await clientOf({}, 2).chat.completions.create({ model: MODEL, messages });
    expect(calls.calls).toMatchObject([
      { released: true, settled: undefined },
      { released: false, settled: {} },
    ]);
  });

  it('is retried by the SDK while governance is unavailable', async () => {
    calls.refusal = new UnavailableError('The database is away.');
    let tries = 0;
    const fetch = governedFetch(calls, () => {
      tries += 1;
      if (tries === 2) calls.refusal = undefined;
      return { orgId: 'org-1', user_email: 'ada@example.com' };
    });
    const client = new OpenAI({ apiKey: provider.key, baseURL: `${provider.url}/v1`, maxRetries: 1, fetch });
    await client.chat.completions.create({ model: MODEL, messages });
    expect(tries).toBe(2);
  });

  it('is refused and not retried if the host names no caller', async () => {
    let asked = 0;
    // The caller is undefined, as in a host without types, or in one that takes the caller from a request without a
    // sign-in.
    const caller: { orgId: string } | undefined = JSON.parse('null');
    const fetch = governedFetch(calls, () => {
      asked++;
      return caller!;
    });
    const client = new OpenAI({ baseURL: `${provider.url}/v1`, apiKey: provider.key, fetch });
    await expect(client.chat.completions.create({ model: MODEL, messages })).rejects.toMatchObject({
      ...{ status: 400, code: 'bad_request', message: expect.stringContaining('returned none') },
    });
    expect([asked, provider.totals.requests]).toEqual([1, 0]);
  });

  it('is released if the connection is refused', async () => {
    const options = { baseURL: 'http://127.0.0.1:1/v1', fetch: governedFetch(calls, () => ({ orgId: 'org-1' })) };
    const client = new OpenAI({ apiKey: 'x', maxRetries: 0, ...options });
    await expect(client.chat.completions.create({ model: MODEL, messages })).rejects.toThrow(/Connection error/);
    expect(calls.last).toMatchObject({ released: true });
  });
});

describe('a streamed chat completion', () => {
  const ask = (client: OpenAI, more: object = {}) =>
    client.chat.completions.create({ model: MODEL, messages, stream: true, ...more });

  it('is settled by the usage that is hidden from a client that did not request it', async () => {
    provider.behave({ outputTokens: 7, tools: [WEATHER], pieces: [1, 7, 30], newline: '\r\n', comments: true });
    const chunks = await collect(await ask(clientOf()));
    expect(chunks.some(chunk => chunk.choices.length === 0 || (chunk.usage ?? null) !== null)).toBe(false);
    expect(calls.last.settled).toMatchObject({ id: chunks[0]?.id, usage: provider.served[0]?.usage });
    expect(calls.last.covered).toBeGreaterThan(7);
  });

  it('shows its usage to a client that requested it', async () => {
    const chunks = await collect(await ask(clientOf(), { stream_options: { include_usage: true } }));
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: provider.served[0]?.usage });
  });

  it('closes the connection to the provider and is settled by the streamed usage when the client disconnects', async () => {
    provider.behave({ outputTokens: 1_000, delayMs: 2 });
    let seen = 0;
    for await (const chunk of await ask(clientOf())) {
      if (chunk.choices[0]?.delta.content) seen += 1;
      if (seen === 20) break;
    }
    await Promise.all([calls.idle(), provider.idle()]);
    const { sentTokens = 0, outcome } = provider.served[0] ?? {};
    expect(outcome).toBe('cut');
    expect(calls.last.settled).toMatchObject({ input_tokens: 8, estimated: true });
    expect(calls.last.settled?.output_tokens).toBeGreaterThanOrEqual(20);
    expect(calls.last.settled?.output_tokens).toBeLessThanOrEqual(2 * sentTokens);
  });

  it.each(['reset', 'close', 'end'] as const)(
    'fails and is settled by the streamed usage when it breaks off by %s',
    async how => {
      provider.behave({ outputTokens: 100, death: { how, at: 20 } });
      const stream = await ask(clientOf());
      await expect(collect(stream)).rejects.toThrow(/terminated|before its answer was complete/);
      expect(calls.last.settled).toMatchObject({ estimated: true });
      expect(calls.last.settled?.output_tokens).toBeGreaterThanOrEqual(20);
      expect(calls.last.settled?.output_tokens).toBeLessThanOrEqual(30);
    },
  );

  it("forwards the provider's error in mid-stream", async () => {
    provider.behave({ outputTokens: 100, death: { how: 'error', at: 20 } });
    await expect(collect(await ask(clientOf()))).rejects.toThrow(OpenAI.APIError);
    expect(calls.last.settled).toMatchObject({ estimated: true });
  });
});

describe('the other paths', () => {
  it('responses and embeddings are governed, too', async () => {
    const response = await clientOf().responses.create({ model: MODEL, input: 'Hello', max_output_tokens: 40 });
    expect(calls.last).toMatchObject({ request: { max_output_tokens: 40 }, settled: { id: response.id } });
    expect(calls.last.settled?.usage).toEqual(provider.served[0]?.usage);

    const events = await collect(await clientOf().responses.create({ model: MODEL, input: 'Hello', stream: true }));
    expect(events.at(-1)?.type).toBe('response.completed');
    expect(calls.last.settled?.usage).toEqual(provider.served[1]?.usage);

    await clientOf().embeddings.create({ model: 'text-embedding-3-small', input: ['a', 'b'] });
    expect(calls.last).toMatchObject({
      request: { max_output_tokens: 0 },
      settled: { usage: provider.served[2]?.usage },
    });
  });

  it('lists of models are not governed', async () => {
    await clientOf().models.list();
    expect(calls.calls).toHaveLength(0);
  });

  it('images are refused with the remedy', async () => {
    const asked = clientOf({}, 3).images.generate({ model: 'gpt-image-1', prompt: 'x' });
    await expect(asked).rejects.toMatchObject({ status: 403, code: 'not_governed', message: /otherRequests/ });
    expect(provider.totals.requests).toBe(0);
  });

  it('images are forwarded if the host allows them', async () => {
    const asked = clientOf({ otherRequests: 'pass' }).images.generate({ model: 'gpt-image-1', prompt: 'x' });
    await expect(asked).rejects.toMatchObject({ status: 404 });
    expect(provider.totals.requests).toBe(1);
    expect(calls.calls).toHaveLength(0);
  });

  it('background responses are refused, because the answer would not contain their usage', async () => {
    const asked = clientOf().responses.create({ model: MODEL, input: 'Hello', background: true });
    await expect(asked).rejects.toMatchObject({ status: 400, message: /background/ });
  });
});

describe('governedFetch by itself', () => {
  const send = (input: string | Request, init?: RequestInit) =>
    governedFetch(calls, () => ({ orgId: 'org-1', user_id: 'u-1' }))(input, init);
  const headers = () => ({ authorization: `Bearer ${provider.key}`, 'content-type': 'application/json' });

  it('accepts a Request, and a compressed answer', async () => {
    provider.behave({ encoding: 'gzip', outputTokens: 5 });
    const body = JSON.stringify({ model: MODEL, messages });
    const request = new Request(`${provider.url}/v1/chat/completions`, { method: 'POST', headers: headers(), body });
    const answer = await send(request);
    expect(await answer.json()).toMatchObject({ usage: provider.served[0]?.usage });
    expect(calls.last.settled?.usage).toEqual(provider.served[0]?.usage);
  });

  it.each(['', '{', '[]', '{"model":7}'])('answers 400 if the body is %j', async body => {
    const answer = await send(`${provider.url}/v1/embeddings`, { method: 'POST', headers: headers(), body });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { type: 'invalid_request_error', code: 'bad_request' } });
    expect(provider.totals.requests).toBe(0);
  });

  it('opens no call if the caller has aborted before', async () => {
    const init = { method: 'POST', body: JSON.stringify({ model: MODEL, messages }), signal: AbortSignal.abort() };
    await expect(send(`${provider.url}/v1/chat/completions`, init)).rejects.toThrow(/abort/);
    expect(calls.calls).toHaveLength(0);
  });

  it('counts the estimated prompt if the caller aborts before the provider answers', async () => {
    provider.behave({ firstByteMs: 60_000 });
    const abort = new AbortController();
    const init = { method: 'POST', headers: headers(), body: JSON.stringify({ model: MODEL, messages }) };
    const answer = send(`${provider.url}/v1/chat/completions`, { ...init, signal: abort.signal });
    await provider.until(() => provider.openCalls === 1);
    abort.abort();
    await expect(answer).rejects.toThrow(/abort/);
    expect(calls.last).toMatchObject({
      released: false,
      settled: { input_tokens: 8, output_tokens: 0, estimated: true },
    });
  });
});

describe('a decision', () => {
  it("includes the caller's additional fields", async () => {
    const client = new OpenAI({
      ...{ apiKey: provider.key, baseURL: `${provider.url}/v1` },
      fetch: governedFetch(
        calls,
        async ({ model, headers, url, stream }) => ({
          ...{ orgId: 'org-1', user_id: 'u-1', provider: 'azure', device_id: 'd-1' },
          attributes: { model, app: headers.get('x-app'), host: url.hostname, stream },
        }),
        { onUnavailable: 'allow' },
      ),
    });
    await client.chat.completions.create({ model: MODEL, messages }, { headers: { 'X-App': 'search' } });
    expect(calls.last).toMatchObject({
      request: {
        ...{ user_id: 'u-1', provider: 'azure', device_id: 'd-1' },
        attributes: { model: MODEL, app: 'search', host: '127.0.0.1', stream: false },
      },
      options: { onUnavailable: 'allow' },
    });
  });
});
