import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import { collect } from './collect.js';
import { startProvider, type Provider } from './provider.js';
import { textOf } from './tokens.js';

const MODEL = 'gpt-4o-mini';
const messages = [{ role: 'user' as const, content: 'What does it cost?' }];
const WEATHER = { name: 'weather', arguments: { city: 'Zürich 🚀', days: 3 } };

let provider: Provider;
let client: OpenAI;

beforeAll(async () => {
  provider = await startProvider({ kind: 'openai' });
  client = clientWith({});
});
beforeEach(() => provider.clear());
afterAll(() => provider.close());

function clientWith(options: { apiKey?: string; maxRetries?: number; baseURL?: string }): OpenAI {
  return new OpenAI({ apiKey: provider.key, baseURL: `${provider.url}/v1`, maxRetries: 0, ...options });
}

describe('Chat completions of the emulator', () => {
  it('are read completely by the SDK, with the model version that answered', async () => {
    provider.next({ outputTokens: 20, promptTokens: 100, cachedTokens: 60, reasoningTokens: 7 });
    const { data, request_id } = await client.chat.completions.create({ model: MODEL, messages }).withResponse();
    expect(data.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: textOf(0, 20) } });
    expect(data.model).toBe('gpt-4o-mini-2024-07-18');
    expect(data.usage).toMatchObject({ prompt_tokens: 100, completion_tokens: 27, total_tokens: 127 });
    expect(data.usage?.prompt_tokens_details?.cached_tokens).toBe(60);
    expect(data.usage?.completion_tokens_details?.reasoning_tokens).toBe(7);
    expect(provider.served).toMatchObject([
      { requestId: request_id, answerId: data.id, path: '/v1/chat/completions', key: provider.key, model: MODEL },
    ]);
    expect(provider.served[0]).toMatchObject({
      promptTokens: 100,
      outputTokens: 27,
      sentTokens: 20,
      usage: data.usage,
    });
    expect(provider.served[0]).toMatchObject({ status: 200, outcome: 'finished', usageSent: true, stream: false });
  });

  it('are streamed with usage in a last chunk without choices if the client asks for it', async () => {
    provider.behave({ outputTokens: 5 });
    const stream = await client.chat.completions.create({
      ...{ model: MODEL, messages, stream: true },
      stream_options: { include_usage: true },
    });
    const chunks = await collect(stream);
    expect(chunks[0]?.choices[0]?.delta).toEqual({ role: 'assistant', content: '', refusal: null });
    expect(chunks.map(chunk => chunk.choices[0]?.delta.content ?? '').join('')).toBe(textOf(0, 5));
    expect(chunks.at(-2)?.choices[0]).toMatchObject({ delta: {}, finish_reason: 'stop' });
    expect(chunks.slice(0, -1).every(chunk => chunk.usage === null)).toBe(true);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: provider.served[0]?.usage });
  });

  it('are streamed without any usage if the client does not ask for it', async () => {
    const stream = await client.chat.completions.create({ model: MODEL, messages, stream: true });
    const chunks = await collect(stream);
    expect(chunks.some(chunk => 'usage' in chunk || chunk.choices.length === 0)).toBe(false);
    expect(provider.served[0]).toMatchObject({ outputTokens: 12, outcome: 'finished', usageSent: false });
  });

  it('call tools whose arguments come in fragments', async () => {
    provider.behave({ outputTokens: 2, tools: [WEATHER, WEATHER], pieces: [1, 5, 2] });
    const plain = await client.chat.completions.create({ model: MODEL, messages });
    const streamed = await client.chat.completions.stream({ model: MODEL, messages }).finalChatCompletion();
    for (const { choices } of [plain, streamed]) {
      expect(choices[0]).toMatchObject({ finish_reason: 'tool_calls', message: { content: textOf(0, 2) } });
      const calls = choices[0]?.message.tool_calls ?? [];
      expect(calls.map(call => call.type === 'function' && JSON.parse(call.function.arguments))).toEqual([
        WEATHER.arguments,
        WEATHER.arguments,
      ]);
    }
    expect(provider.served[0]?.outputTokens).toBe(provider.served[1]?.outputTokens);
  });

  it('stream several choices alternately', async () => {
    const stream = client.chat.completions.stream({ model: MODEL, messages, n: 2 });
    const { choices } = await stream.finalChatCompletion();
    expect(choices.map(({ index, message }) => [index, message.content])).toEqual([
      [0, textOf(0, 12)],
      [1, textOf(0, 12)],
    ]);
    expect(provider.served[0]?.outputTokens).toBe(24);
  });

  it('end with the reason `length` at the limit of the request', async () => {
    const answer = await client.chat.completions.create({ model: MODEL, messages, max_completion_tokens: 3 });
    expect(answer.choices[0]).toMatchObject({ finish_reason: 'length', message: { content: textOf(0, 3) } });
  });

  it.each(['\n', '\r\n', '\r'] as const)('can be read in pieces of one byte with line ends %j', async newline => {
    provider.behave({ pieces: [1], newline, comments: true });
    const { choices } = await client.chat.completions.stream({ model: MODEL, messages }).finalChatCompletion();
    expect(choices[0]?.message.content).toBe(textOf(0, 12));
  });
});

describe('Responses of the emulator', () => {
  const input = 'What does it cost?';

  it('are read in full by the SDK', async () => {
    provider.next({ promptTokens: 50, cachedTokens: 10, reasoningTokens: 4, tools: [WEATHER], outputTokens: 6 });
    const answer = await client.responses.create({ model: MODEL, input });
    expect(answer.output_text).toBe(textOf(0, 6));
    expect(answer.output.map(({ type }) => type)).toEqual(['reasoning', 'message', 'function_call']);
    const { outputTokens, usage } = provider.served[0]!;
    expect(answer.usage).toEqual(usage);
    expect(answer.usage).toMatchObject({ input_tokens: 50, output_tokens: outputTokens });
    expect(answer.usage?.input_tokens_details.cached_tokens).toBe(10);
    expect(answer.usage?.output_tokens_details.reasoning_tokens).toBe(4);
  });

  it('are streamed as numbered events up to `response.completed`', async () => {
    provider.next({ reasoningTokens: 4, tools: [WEATHER], outputTokens: 6 });
    const stream = client.responses.stream({ model: MODEL, input, reasoning: { summary: 'auto' } });
    const events = await collect(stream);
    expect(events.map(event => event.sequence_number)).toEqual(events.map((_, index) => index));
    expect(events.at(-1)).toMatchObject({ type: 'response.completed' });
    const final = await stream.finalResponse();
    expect(final.output_text).toBe(textOf(0, 6));
    expect(final.output[2]).toMatchObject({ type: 'function_call', arguments: JSON.stringify(WEATHER.arguments) });
    expect(final.usage).toEqual(provider.served[0]?.usage);
  });

  it('end with `response.incomplete` at the limit of the request', async () => {
    const stream = await client.responses.create({ model: MODEL, input, stream: true, max_output_tokens: 3 });
    const last = (await collect(stream)).at(-1);
    expect(last).toMatchObject({
      type: 'response.incomplete',
      response: { incomplete_details: { reason: 'max_output_tokens' }, usage: { output_tokens: 3 } },
    });
  });

  it('end with `response.failed` or with an error event if the script says so', async () => {
    provider.next({ death: { how: 'failed', at: 2 } }, { death: { how: 'error', at: 2 } });
    const failed = await client.responses.create({ model: MODEL, input, stream: true });
    expect((await collect(failed)).at(-1)).toMatchObject({
      type: 'response.failed',
      response: { status: 'failed', error: { code: 'server_error' } },
    });
    const broken = await client.responses.create({ model: MODEL, input, stream: true });
    await expect(collect(broken)).rejects.toMatchObject({ code: 'server_error' });
    expect(provider.served).toMatchObject([
      { outcome: 'died', outputTokens: 2 },
      { outcome: 'died', outputTokens: 2 },
    ]);
  });
});

describe('Other endpoints of the emulated OpenAI', () => {
  it('create embeddings as floats and as base64', async () => {
    const inBase64 = await client.embeddings.create({ model: 'text-embedding-3-small', input: ['one', 'two'] });
    const inFloats = await client.embeddings.create({
      ...{ model: 'text-embedding-3-small', input: 'one' },
      ...{ dimensions: 8, encoding_format: 'float' },
    });
    expect(inBase64.data.map(({ embedding }) => embedding.length)).toEqual([1536, 1536]);
    expect(inFloats.data[0]?.embedding).toEqual([1, 0, 0, 0, 0, 0, 0, 0]);
    expect(provider.served[0]).toMatchObject({ promptTokens: 2, outputTokens: 0, usage: inBase64.usage });
  });

  it('complete a text, plain and streamed', async () => {
    const request = { model: 'gpt-3.5-turbo-instruct', prompt: 'Once' };
    const plain = await client.completions.create(request);
    expect(plain.choices[0]).toMatchObject({ text: textOf(0, 12), finish_reason: 'stop' });
    const options = { stream: true, stream_options: { include_usage: true } } as const;
    const chunks = await collect(await client.completions.create({ ...request, ...options }));
    expect(chunks.map(({ choices }) => choices[0]?.text ?? '').join('')).toBe(textOf(0, 12));
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: plain.usage });
  });

  it('list models and describe one', async () => {
    const names = (await collect(client.models.list())).map(({ id }) => id);
    expect(names).toContain(MODEL);
    await expect(client.models.retrieve(MODEL)).resolves.toMatchObject({ id: MODEL, object: 'model' });
  });
});

describe('The emulated OpenAI', () => {
  const body = { model: MODEL, messages };
  it.each<[string, () => Promise<unknown>, object]>([
    ['a wrong key', () => clientWith({ apiKey: 'sk-x' }).models.list(), { status: 401, code: 'invalid_api_key' }],
    ['an unknown model', () => client.models.retrieve('gpt-0'), { status: 404, code: 'model_not_found' }],
    ['an unknown path', () => client.post('/nowhere', { body }), { status: 404, code: null }],
    ['a path outside of /v1', () => clientWith({ baseURL: provider.url }).models.list(), { code: 'unknown_url' }],
    ['another method', () => client.delete('/chat/completions'), { status: 405, code: 'method_not_supported' }],
    ['no messages', () => client.post('/chat/completions', { body: { model: MODEL } }), { param: 'messages' }],
    ['no model', () => client.post('/chat/completions', { body: {} }), { status: 400 }],
    ['an unknown field', () => client.post('/chat/completions', { body: { ...body, org: 1 } }), { param: 'org' }],
    [
      'options of a stream without a stream',
      () => client.post('/chat/completions', { body: { ...body, stream_options: { include_usage: true } } }),
      { status: 400, param: 'stream_options' },
    ],
    [
      'include_usage for a response',
      () =>
        client.post('/responses', { body: { model: MODEL, stream: true, stream_options: { include_usage: true } } }),
      { status: 400, param: 'stream_options.include_usage' },
    ],
  ])('refuses %s', async (_, ask, expected) => {
    await expect(ask()).rejects.toMatchObject({ type: 'invalid_request_error', ...expected });
    expect(provider.totals).toMatchObject({ requests: 1, refused: 1, promptTokens: 0 });
  });

  it.each([429, 500, 503])('makes the SDK retry after status %d', async status => {
    provider.next({ error: { status } }, { error: { status } });
    const answer = await clientWith({ maxRetries: 2 }).chat.completions.create({ model: MODEL, messages });
    expect(answer.choices).toHaveLength(1);
    expect(provider.served.map(call => call.status)).toEqual([status, status, 200]);
    expect(provider.totals).toMatchObject({ refused: 2, finished: 1, outputTokens: 12 });
  });
});
