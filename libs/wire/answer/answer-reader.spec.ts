import { describe, expect, it } from '@jest/globals';
import { AnswerReader } from './answer-reader.js';
import { readAnswer, routeOf, sse } from './answer-support.js';

const read = (path: string, events: (object | string)[], options = {}) =>
  readAnswer(routeOf(path), [Buffer.from(sse(events))], options);
const readPlain = (path: string, body: object, status = 200) =>
  readAnswer(routeOf(path), [Buffer.from(JSON.stringify(body))], { contentType: 'application/json', status }).summary;
const delta = (fields: object) => ({
  id: 'chatcmpl-1',
  model: 'gpt-4o-2024-08-06',
  choices: [{ index: 0, delta: fields }],
});

describe('a stream of chat completions', () => {
  const usage = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 };

  it('gives the usage of its last chunk if the provider reports it', () => {
    const { summary } = read('/v1/chat/completions', [
      delta({ content: 'Hello world' }),
      { ...delta({}), choices: [], usage },
      '[DONE]',
    ]);
    expect(summary).toEqual({
      ...{ id: 'chatcmpl-1', model: 'gpt-4o-2024-08-06', usage, outputTokens: 3, estimated: false, ended: true },
    });
  });

  it('gives the tier in its last chunk', () => {
    const events = [
      { ...delta({ content: 'a' }), service_tier: 'auto' },
      { choices: [], usage, service_tier: 'flex' },
    ];
    expect(read('/v1/chat/completions', events).summary).toMatchObject({ usage, serviceTier: 'flex' });
  });

  it('estimates text, refusals, reasoning and tool calls if it breaks off', () => {
    const events = [
      delta({ content: 'x'.repeat(40) }),
      delta({ refusal: 'x'.repeat(40) }),
      delta({ reasoning_content: 'x'.repeat(40) }),
      delta({ tool_calls: [{ index: 0, function: { name: 'look_up', arguments: 'x'.repeat(33) } }] }),
    ];
    expect(read('/v1/chat/completions', events).summary).toMatchObject({
      outputTokens: 40,
      estimated: true,
      ended: false,
    });
  });

  it('counts text of other scripts by its bytes', () => {
    expect(read('/v1/chat/completions', [delta({ content: '日本語の文章です' })]).summary.outputTokens).toBe(6);
  });

  it('adds the text after the last report if the provider counts in every chunk', () => {
    const events = [{ ...delta({ content: 'x'.repeat(40) }), usage }, delta({ content: 'x'.repeat(8) })];
    expect(read('/v1/chat/completions', events).summary).toMatchObject({
      usage: { ...usage, completion_tokens: 5 },
      outputTokens: 5,
      estimated: true,
    });
  });

  it('hides only the usage chunk if the client did not request it', () => {
    const filter = { choices: [], prompt_filter_results: [{ prompt_index: 0 }] };
    const last = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage };
    const events = [filter, delta({ content: 'a' }), last, { choices: [], usage }, '[DONE]'];
    const { passed, summary } = read('/v1/chat/completions', events, { hidesUsageChunk: true });
    expect(passed).toBe(sse(events.toSpliced(3, 1)));
    expect(summary.usage).toEqual(usage);
  });

  it('forwards each whole event at once if it hides the usage chunk', () => {
    const reader = new AnswerReader(routeOf('/v1/chat/completions'), {
      ...{ status: 200, contentType: 'text/event-stream; charset=utf-8', hidesUsageChunk: true },
    });
    const [first, second] = [sse([delta({ content: 'a' })]), sse([delta({ content: 'b' })])];
    expect(reader.push(Buffer.from(first + second.slice(0, 10))).map(String)).toEqual([first]);
    expect(reader.push(Buffer.from(second.slice(10))).map(String)).toEqual([second]);
  });

  it("reports the provider's error in mid-stream", () => {
    const error = { message: 'The server had an error', type: 'server_error', code: 500 };
    expect(read('/v1/chat/completions', [delta({ content: 'a' }), { error }]).summary.error).toEqual({
      ...{ message: 'The server had an error', type: 'server_error', code: '500' },
    });
  });
});

describe('a stream of responses', () => {
  const response = { id: 'resp_1', model: 'gpt-5', usage: null };
  const usage = { input_tokens: 9, output_tokens: 30, output_tokens_details: { reasoning_tokens: 20 } };

  it.each(['completed', 'incomplete', 'failed'])('gives the usage of its last event if that is response.%s', end => {
    const { summary } = read('/v1/responses', [
      { type: 'response.created', response },
      { type: 'response.output_text.delta', delta: 'Hello' },
      { type: `response.${end}`, response: { ...response, usage, error: { code: 'server_error', message: 'No' } } },
    ]);
    expect(summary).toMatchObject({
      id: 'resp_1',
      model: 'gpt-5',
      usage,
      outputTokens: 30,
      estimated: false,
      ended: true,
    });
    expect(summary.error?.code).toBe(end === 'failed' ? 'server_error' : undefined);
  });

  it('gives the usage of a last event that is larger than the buffer', () => {
    const output = [{ type: 'message', content: [{ type: 'output_text', text: 'x'.repeat(300_000) }] }];
    const bytes = Buffer.from(sse([{ type: 'response.completed', response: { ...response, output, usage } }]));
    const pieces = Array.from({ length: Math.ceil(bytes.length / 1_000) }, (_, at) =>
      bytes.subarray(at * 1_000, (at + 1) * 1_000),
    );
    expect(readAnswer(routeOf('/v1/responses'), pieces).summary).toMatchObject({
      usage,
      outputTokens: 30,
      ended: true,
    });
  });

  it('estimates text and tool calls if it breaks off, but not audio', () => {
    const events = [
      { type: 'response.output_item.added', item: { type: 'function_call', name: 'look_up1' } },
      { type: 'response.function_call_arguments.delta', delta: 'x'.repeat(16) },
      { type: 'response.output_text.delta', delta: 'x'.repeat(16) },
      { type: 'response.audio.delta', delta: 'AAAA'.repeat(100) },
    ];
    expect(read('/v1/responses', events).summary).toMatchObject({ outputTokens: 10, estimated: true });
  });

  it('reports the error event', () => {
    const error = { type: 'error', code: 'rate_limit_exceeded', message: 'Slow down', param: null };
    expect(read('/v1/responses', [error]).summary.error).toMatchObject({ code: 'rate_limit_exceeded' });
  });
});

describe('a stream of messages', () => {
  const started = {
    type: 'message_start',
    message: {
      ...{ id: 'msg_1', model: 'claude-sonnet-4-5' },
      usage: { input_tokens: 10, cache_read_input_tokens: 100, cache_creation_input_tokens: 5, output_tokens: 1 },
    },
  };
  const words = (text: string) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } });

  it('gives the usage of its start with the counts of its last delta', () => {
    const { summary } = read('/v1/messages', [
      started,
      { type: 'ping' },
      words('Hello'),
      { type: 'message_delta', delta: {}, usage: { output_tokens: 4, cache_read_input_tokens: null } },
      { type: 'message_delta', delta: {}, usage: { output_tokens: 15, server_tool_use: { web_search_requests: 1 } } },
      { type: 'message_stop' },
    ]);
    expect(summary).toEqual({
      ...{ id: 'msg_1', model: 'claude-sonnet-4-5', outputTokens: 15, estimated: false, ended: true },
      usage: { ...started.message.usage, output_tokens: 15, server_tool_use: { web_search_requests: 1 } },
    });
  });

  it('keeps the counted input and estimates the output if it breaks off', () => {
    const tool = { type: 'content_block_start', content_block: { type: 'tool_use', name: 'look_up1', input: {} } };
    const input = { type: 'content_block_delta', delta: { type: 'input_json_delta', partial_json: 'x'.repeat(16) } };
    const thinking = { type: 'content_block_delta', delta: { type: 'thinking_delta', thinking: 'x'.repeat(16) } };
    expect(read('/v1/messages', [started, words('x'.repeat(40)), tool, input, thinking]).summary).toMatchObject({
      ...{ outputTokens: 20, estimated: true, ended: false },
      usage: { ...started.message.usage, output_tokens: 20 },
    });
  });

  it('reports the error event', () => {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    expect(read('/v1/messages', [started, error]).summary).toMatchObject({
      ...{ error: { type: 'overloaded_error', message: 'Overloaded' }, ended: false },
    });
  });
});

describe('a plain answer', () => {
  it('gives the tier in addition to its usage', () => {
    const usage = { prompt_tokens: 9, completion_tokens: 3 };
    const answer = { id: 'chatcmpl-1', service_tier: 'priority', choices: [{ message: { service_tier: 'x' } }], usage };
    expect(readPlain('/v1/chat/completions', answer)).toMatchObject({ usage, serviceTier: 'priority' });
  });

  it.each([
    ['/v1/chat/completions', { prompt_tokens: 9, completion_tokens: 3 }, 3],
    ['/v1/responses', { input_tokens: 9, output_tokens: 3 }, 3],
    ['/v1/messages', { input_tokens: 9, output_tokens: 3, cache_read_input_tokens: 7 }, 3],
    ['/v1/embeddings', { prompt_tokens: 9, total_tokens: 9 }, 0],
  ])('of %s gives its usage', (path, usage, outputTokens) => {
    const body = { id: 'answer-1', object: 'x', model: 'm-1', data: [{ usage: { no: 1 } }], usage };
    expect(readPlain(path, body)).toEqual({
      id: 'answer-1',
      model: 'm-1',
      usage,
      outputTokens,
      estimated: false,
      ended: true,
    });
  });

  it('is estimated by the text of the model if it has no usage', () => {
    const message = {
      role: 'assistant',
      content: 'x'.repeat(40),
      tool_calls: [{ function: { arguments: 'x'.repeat(8) } }],
    };
    expect(readPlain('/v1/chat/completions', { choices: [{ message }] })).toMatchObject({
      outputTokens: 12,
      estimated: true,
    });
  });

  it.each([10, 65_000, 66_000, 300_000])('with a text of %i characters is read the same in pieces', characters => {
    const usage = { prompt_tokens: 9, completion_tokens: 3 };
    const choices = [{ message: { role: 'assistant', content: 'x'.repeat(characters) } }];
    const bytes = Buffer.from(JSON.stringify({ id: 'answer-1', choices, model: 'm-1', usage }));
    const pieces = [bytes.subarray(0, 20), bytes.subarray(20, -30), bytes.subarray(-30)];
    for (const parts of [[bytes], pieces]) {
      const { summary, passed } = readAnswer(routeOf('/v1/chat/completions'), parts, {
        contentType: 'application/json',
      });
      expect(summary).toEqual({
        ...{ id: 'answer-1', model: 'm-1', usage, outputTokens: 3, estimated: false, ended: true },
      });
      expect(passed).toBe(bytes.toString('utf8'));
    }
  });

  it('gives the error object of a refusal', () => {
    const error = { message: 'No such model', type: 'invalid_request_error', code: 'model_not_found' };
    expect(readPlain('/v1/chat/completions', { error }, 404)).toMatchObject({ error, outputTokens: 0 });
  });

  it('has not ended if it breaks off', () => {
    const half = Buffer.from('{"id":"x","choices":[{"message":{"content":"abcd');
    const { summary } = readAnswer(routeOf('/v1/chat/completions'), [half], { contentType: 'application/json' });
    expect(summary).toEqual({ id: 'x', outputTokens: 1, estimated: true, ended: false });
  });

  it('keeps only the needed parts of a huge answer', () => {
    const reader = new AnswerReader(routeOf('/v1/embeddings'), {
      ...{ status: 200, contentType: 'application/json', hidesUsageChunk: false },
    });
    const row = Buffer.from(`{"object":"embedding","embedding":[${'0.0123456789,'.repeat(5_000)}0]},`);
    reader.push(Buffer.from('{"object":"list","data":['));
    for (let count = 0; count < 1_000; count++) reader.push(row);
    expect(JSON.stringify(reader).length).toBeLessThan(2_000);
    reader.push(Buffer.from('{}],"model":"m","usage":{"prompt_tokens":9,"total_tokens":9}}'));
    expect(reader.end()).toMatchObject({ model: 'm', usage: { prompt_tokens: 9 }, ended: true });
  });
});
