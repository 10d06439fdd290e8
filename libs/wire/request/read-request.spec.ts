import { describe, expect, it } from '@jest/globals';
import { BadRequestError } from '#core';
import { wireRouteAtEnd, wireRouteOf } from '../routes.js';
import { routeOf } from '../answer/answer-support.js';
import { estimateInputTokens } from './input-estimate.js';
import { readWireRequest } from './read-request.js';

const read = (path: string, body: unknown) => readWireRequest(routeOf(path), body);
const tokensOf = (path: string, body: object) => read(path, { model: 'm', ...body }).estimatedInputTokens;
const user = (content: unknown) => ({ messages: [{ role: 'user', content }] });

describe('a route', () => {
  it.each([
    ['openai', 'POST', '/v1/chat/completions', 'chat_completions'],
    ['openai', 'POST', '/v1/completions', 'completions'],
    ['openai', 'POST', '/v1/responses', 'responses'],
    ['openai', 'POST', '/v1/responses/input_tokens', 'count_tokens'],
    ['openai', 'POST', '/v1/embeddings', 'embeddings'],
    ['openai', 'GET', '/v1/models/openai/gpt-4o', 'models'],
    ['anthropic', 'POST', '/v1/messages', 'messages'],
    ['anthropic', 'POST', '/v1/messages/count_tokens', 'count_tokens'],
    ['anthropic', 'GET', '/v1/models', 'models'],
    ['openai', 'GET', '/v1/chat/completions', undefined],
    ['openai', 'POST', '/v1/x/chat/completions', undefined],
    ['openai', 'POST', '/v1/chat/completions/', undefined],
    ['openai', 'POST', '/v1/messages', undefined],
    ['openai', 'POST', '/v2/embeddings', undefined],
    ['anthropic', 'POST', '/v1/messages/batches', undefined],
  ] as const)('of %s for %s %s is %s', (kind, method, path, operation) => {
    expect(wireRouteOf(kind, method, path)?.operation).toBe(operation);
  });

  it.each([
    ['POST', '/chat/completions', 'chat_completions'],
    ['POST', '/embeddings', 'embeddings'],
    ['POST', '/v1/chat/completions', 'chat_completions'],
    ['GET', '/models', 'models'],
    ['POST', '/v4/chat/completions', undefined],
    ['POST', '/x/../chat/completions', undefined],
    ['POST', 'chat/completions', undefined],
  ])('of a provider without a version for %s %s is %s', (method, path, operation) => {
    expect(wireRouteOf('openai', method, path, 'optional')?.operation).toBe(operation);
  });

  it('is found after any base URL if only the end of the path counts', () => {
    const path = '/openai/deployments/gpt-4o/chat/completions';
    expect(wireRouteAtEnd('openai', 'POST', path)?.operation).toBe('chat_completions');
    expect(wireRouteAtEnd('openai', 'POST', '/v1/images/generations')).toBeUndefined();
  });
});

describe('a request', () => {
  it.each([
    ['/v1/chat/completions', { max_completion_tokens: 50, max_tokens: 99, n: 2 }, 100],
    ['/v1/chat/completions', { max_tokens: 99 }, 99],
    ['/v1/chat/completions', {}, undefined],
    ['/v1/completions', { max_tokens: 10, prompt: ['a', 'b'], best_of: 3 }, 60],
    ['/v1/completions', { max_tokens: 10, prompt: [1, 2] }, 10],
    ['/v1/responses', { max_output_tokens: 7 }, 7],
    ['/v1/messages', { max_tokens: 8 }, 8],
    ['/v1/embeddings', {}, 0],
    ['/v1/messages', { max_tokens: '8' }, undefined],
    ['/v1/messages', { max_tokens: 1e12 }, 1_000_000_000],
  ])('to %s with %j may have %s output tokens', (path, fields, limit) => {
    expect(read(path, { model: 'm', ...fields }).maxOutputTokens).toBe(limit);
  });

  it.each([
    ['flex', 'flex'],
    ['auto', 'standard'],
    ['scale', 'other'],
    [null, undefined],
    [undefined, undefined],
  ])('with the tier %j requests the tier %j', (service_tier, tier) => {
    expect(read('/v1/chat/completions', { model: 'm', service_tier }).serviceTier).toBe(tier);
  });

  it('requests the usage of a stream and hides it if the client did not request it', () => {
    const body = { model: 'm', stream: true, stream_options: { include_obfuscation: false } };
    expect(read('/v1/chat/completions', body)).toMatchObject({
      ...{ stream: true, changed: true, hidesUsageChunk: true },
      body: { ...body, stream_options: { include_obfuscation: false, include_usage: true } },
    });
    expect(body.stream_options).toEqual({ include_obfuscation: false });
  });

  it.each([
    ['/v1/chat/completions', { stream: true, stream_options: { include_usage: true } }],
    ['/v1/chat/completions', {}],
    ['/v1/responses', { stream: true }],
    ['/v1/messages', { stream: true }],
  ])('to %s with %j is sent unchanged', (path, fields) => {
    const body = { model: 'm', ...fields };
    const request = read(path, body);
    expect(request).toMatchObject({ changed: false, hidesUsageChunk: false });
    expect(request.body).toBe(body);
  });

  it.each([
    ['/v1/chat/completions', null],
    ['/v1/chat/completions', []],
    ['/v1/chat/completions', {}],
    ['/v1/messages', { model: 7 }],
    ['/v1/responses', { model: 'm', background: true }],
  ])('to %s is refused as %j', (path, body) => expect(() => read(path, body)).toThrow(BadRequestError));
});

describe('the estimate of a prompt', () => {
  it('counts four bytes of text as a token, and three tokens for each message', () => {
    expect(tokensOf('/v1/chat/completions', user('x'.repeat(40)))).toBe(13);
    expect(
      tokensOf('/v1/messages', { system: 'x'.repeat(40), ...user([{ type: 'text', text: 'x'.repeat(40) }]) }),
    ).toBe(23);
    expect(tokensOf('/v1/responses', { instructions: 'x'.repeat(40), input: 'x'.repeat(40) })).toBe(20);
    expect(tokensOf('/v1/embeddings', { input: ['x'.repeat(40), 'x'.repeat(40)] })).toBe(20);
    expect(tokensOf('/v1/embeddings', { input: [[1, 2, 3], [4]] })).toBe(4);
  });

  it('counts nothing for a field without a value', () => {
    const message = { role: 'user', content: 'x'.repeat(40), providerOptions: undefined };
    expect(tokensOf('/v1/chat/completions', { messages: [message] })).toBe(13);
  });

  it('counts definitions of tools', () => {
    const tools = [{ type: 'function', function: { name: 'look_up', parameters: { type: 'object' } } }];
    expect(tokensOf('/v1/chat/completions', { tools })).toBe(Math.ceil(JSON.stringify(tools).length / 4));
  });

  it('counts a file as a fixed figure, however long its base64 is', () => {
    const data = 'A'.repeat(1_000_000);
    const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } };
    expect(tokensOf('/v1/chat/completions', user([image]))).toBe(1_603);
    expect(
      tokensOf('/v1/responses', { input: [{ role: 'user', content: [{ type: 'input_file', file_data: data }] }] }),
    ).toBe(3_003);
    expect(tokensOf('/v1/messages', user([{ type: 'image', source: { type: 'base64', data } }]))).toBe(1_603);
  });

  it('counts a text document by its text', () => {
    const document = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'x'.repeat(4_000) } };
    expect(tokensOf('/v1/messages', user([document]))).toBeLessThan(1_100);
  });

  it('accepts a request with more nesting than the call stack allows', () => {
    const deep: unknown = JSON.parse(`${'['.repeat(50_000)}"text"${']'.repeat(50_000)}`);
    expect(tokensOf('/v1/chat/completions', { messages: deep })).toBe(1);
  });

  it('terminates if a library passes a cycle, or bytes', () => {
    const circle: Record<string, unknown> = { text: 'x'.repeat(40) };
    circle['self'] = circle;
    expect(estimateInputTokens({ messages: [circle], tools: [circle] })).toBeGreaterThan(10);
    expect(estimateInputTokens({ messages: [{ role: 'user', content: new Uint8Array(1_000_000) }] })).toBe(3);
  });
});
