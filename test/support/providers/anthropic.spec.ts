import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import Anthropic from '@anthropic-ai/sdk';
import { collect } from './collect.js';
import { startProvider, type Provider } from './provider.js';
import { textOf } from './tokens.js';

const MODEL = 'claude-haiku-4-5';
const request = {
  model: MODEL,
  max_tokens: 1000,
  messages: [{ role: 'user' as const, content: 'What does it cost?' }],
};
const WEATHER = { name: 'weather', arguments: { city: 'Zürich 🚀', days: 3 } };

let provider: Provider;
let client: Anthropic;

beforeAll(async () => {
  provider = await startProvider({ kind: 'anthropic' });
  client = clientWith({});
});
beforeEach(() => provider.clear());
afterAll(() => provider.close());

function clientWith(options: { apiKey?: string; maxRetries?: number }): Anthropic {
  return new Anthropic({ apiKey: provider.key, baseURL: provider.url, maxRetries: 0, ...options });
}

describe('Messages of the emulator', () => {
  it('are read completely by the SDK, with the cached parts of the prompt counted separately', async () => {
    provider.next({ promptTokens: 100, cachedTokens: 60, cacheWriteTokens: 30, outputTokens: 20 });
    const { data, request_id } = await client.messages.create(request).withResponse();
    expect(data).toMatchObject({ model: 'claude-haiku-4-5-20251001', stop_reason: 'end_turn' });
    expect(data.content).toEqual([{ type: 'text', text: textOf(0, 20) }]);
    expect(data.usage).toMatchObject({
      ...{ input_tokens: 10, cache_creation_input_tokens: 30, cache_read_input_tokens: 60, output_tokens: 20 },
    });
    expect(provider.served[0]).toMatchObject({ requestId: request_id, answerId: data.id, usage: data.usage });
    expect(provider.served[0]).toMatchObject({ promptTokens: 100, outputTokens: 20, outcome: 'finished' });
  });

  it('are streamed in blocks, with the usage of the whole message at the end', async () => {
    provider.next({ outputTokens: 5, pieces: [1, 3, 2] });
    const events = await collect(await client.messages.create({ ...request, stream: true }));
    const types = events.map(({ type }) => type);
    expect(types.slice(0, 2)).toEqual(['message_start', 'content_block_start']);
    expect(types.slice(-3)).toEqual(['content_block_stop', 'message_delta', 'message_stop']);
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } });
    expect(events[0]).toMatchObject({ message: { content: [], usage: { output_tokens: 1 } } });
    expect(provider.served[0]).toMatchObject({ sentTokens: 5, outputTokens: 5, outcome: 'finished', usageSent: true });
  });

  it('contain a thinking block before the answer if the request allows it', async () => {
    provider.behave({ outputTokens: 6, reasoningTokens: 4, tools: [WEATHER] });
    const thinking = { type: 'enabled', budget_tokens: 500 } as const;
    const plain = await client.messages.create({ ...request, thinking });
    const streamed = await client.messages.stream({ ...request, thinking }).finalMessage();
    for (const { content, usage, stop_reason } of [plain, streamed]) {
      expect(content).toMatchObject([
        { type: 'thinking', thinking: textOf(0, 4), signature: expect.any(String) },
        { type: 'text', text: textOf(0, 6) },
        { type: 'tool_use', name: WEATHER.name, input: WEATHER.arguments },
      ]);
      expect(stop_reason).toBe('tool_use');
      expect(usage.output_tokens).toBe(provider.served[0]?.outputTokens);
      expect(usage.output_tokens_details?.thinking_tokens).toBe(4);
    }
    const { content } = await client.messages.create(request);
    expect(content.map(({ type }) => type)).toEqual(['text', 'tool_use']);
  });

  it('end with the reason `max_tokens` at the limit of the request', async () => {
    const message = await client.messages.create({ ...request, max_tokens: 3 });
    expect(message).toMatchObject({ stop_reason: 'max_tokens', usage: { output_tokens: 3 } });
  });

  it('end with an error event if the script says so', async () => {
    provider.next({ death: { how: 'error', at: 2 } });
    const stream = await client.messages.create({ ...request, stream: true });
    await expect(collect(stream)).rejects.toMatchObject({ type: 'overloaded_error' });
    expect(provider.served[0]).toMatchObject({ outcome: 'died', outputTokens: 2, usageSent: false });
    expect(provider.served[0]?.usage).toMatchObject({ output_tokens: 2 });
  });

  it('have the same token count before and after', async () => {
    const { messages } = request;
    const { input_tokens } = await client.messages.countTokens({ model: MODEL, messages });
    const { usage } = await client.messages.create(request);
    expect(input_tokens).toBe(usage.input_tokens);
    expect(provider.totals).toMatchObject({ finished: 2, promptTokens: input_tokens });
  });
});

describe('The emulated Anthropic', () => {
  it('lists models and describes one', async () => {
    const names = (await collect(client.models.list())).map(({ id }) => id);
    expect(names).toContain(MODEL);
    await expect(client.models.retrieve(MODEL)).resolves.toMatchObject({ id: MODEL, type: 'model' });
  });

  const { max_tokens, ...unlimited } = request;
  it.each<[string, () => Promise<unknown>, object]>([
    ['a wrong key', () => clientWith({ apiKey: 'no' }).models.list(), { status: 401, type: 'authentication_error' }],
    [
      'a wrong key in the x-api-key header',
      () => client.get('/v1/models', { headers: { authorization: null, 'x-api-key': 'no' } }),
      { status: 401, apiMessage: 'invalid x-api-key' },
    ],
    ['an unknown model', () => client.messages.create({ ...request, model: 'no' }), { type: 'not_found_error' }],
    ['an unknown path', () => client.post('/v1/nowhere'), { status: 404, type: 'not_found_error' }],
    [
      'a request without a limit of tokens',
      () => client.post('/v1/messages', { body: unlimited }),
      { status: 400, apiMessage: 'max_tokens: Field required' },
    ],
    [
      'an unknown field',
      () => client.post('/v1/messages', { body: { ...request, org: 1 } }),
      { apiMessage: 'org: Extra inputs are not permitted' },
    ],
    [
      'a temperature in the newest version of the API',
      () => client.post('/v1/messages', { body: { ...request, temperature: 1 } }),
      { apiMessage: 'temperature: Extra inputs are not permitted' },
    ],
    [
      'a request without a version',
      () => client.post('/v1/messages', { body: request, headers: { 'anthropic-version': null } }),
      { status: 400, apiMessage: 'anthropic-version: header is required' },
    ],
    ['no messages', () => client.messages.create({ ...request, messages: [] }), { type: 'invalid_request_error' }],
  ])('refuses %s', async (_, ask, expected) => {
    await expect(ask()).rejects.toMatchObject(expected);
    expect(provider.totals).toMatchObject({ requests: 1, refused: 1, promptTokens: 0 });
    expect(max_tokens).toBe(1000);
  });

  it('accepts a temperature in the API version before the newest', async () => {
    const headers = { 'anthropic-version': '2023-06-01', authorization: null, 'x-api-key': provider.key };
    await client.post('/v1/messages', { body: { ...request, temperature: 1 }, headers });
    expect(provider.served).toMatchObject([{ outcome: 'finished', key: provider.key }]);
  });

  it.each([429, 500, 529])('makes the SDK retry after status %d', async status => {
    provider.next({ error: { status } }, { error: { status } });
    await clientWith({ maxRetries: 2 }).messages.create(request);
    expect(provider.served.map(call => call.status)).toEqual([status, status, 200]);
  });
});
