import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { cutAt, readAnswer, routeOf, sse } from './answer-support.js';

const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
const words = fc.string({ unit: 'grapheme', maxLength: 12 });
const large = fc.integer({ min: 60_000, max: 70_000 }).map(length => 'ö'.repeat(length / 2));
const text = fc.oneof({ weight: 20, arbitrary: words }, { weight: 1, arbitrary: large });
const usage = { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 };

const chunk = text.map(content => ({
  id: 'chatcmpl-0123456789abcdef',
  choices: [{ delta: { content } }],
  usage: null,
}));
const noise = fc.constantFrom(': keep-alive', 'retry: 10', 'data', 'data: {"cut', 'id: 1', 'data: []', ':', '\uFEFFx');
const usageChunk = fc.constant({ id: 'chatcmpl-0123456789abcdef', choices: [], usage });
const chatStream = fc
  .tuple(fc.array(fc.oneof(chunk, noise, usageChunk), { maxLength: 8 }), lineEnd, fc.boolean())
  .map(([parts, end, isWhole]) => {
    const events = parts.map(part => (typeof part === 'string' ? `${part}${end}${end}` : sse([part], end)));
    return Buffer.from(
      events.join('') + (isWhole ? sse(['[DONE]'], end) : 'data: {"choices":[{"delta":{"content":"x"}}]}'),
    );
  });
const places = fc.array(fc.nat({ max: 200_000 }), { maxLength: 20 });

describe('an answer that arrives in pieces', () => {
  const route = routeOf('/v1/chat/completions');

  it.each([true, false])('is read and forwarded as in one piece if hiding the usage chunk is %s', hidesUsageChunk => {
    fc.assert(
      fc.property(chatStream, places, (bytes, at) => {
        const whole = readAnswer(route, [bytes], { hidesUsageChunk });
        expect(readAnswer(route, cutAt(bytes, at), { hidesUsageChunk })).toEqual(whole);
        if (!hidesUsageChunk) expect(whole.passed).toBe(bytes.toString('utf8'));
      }),
      { numRuns: 500 },
    );
  });

  it('is read the same byte by byte', () => {
    const events = [{ choices: [{ delta: { content: '日本語 🎉' } }] }, { choices: [], usage }, '[DONE]'];
    const bytes = Buffer.from(sse(events, '\r\n'));
    const single = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
    const read = readAnswer(route, single, { hidesUsageChunk: true });
    expect(read).toEqual(readAnswer(route, [bytes], { hidesUsageChunk: true }));
    expect(read.passed).toBe(sse([events[0]!, '[DONE]'], '\r\n'));
    expect(read.summary).toMatchObject({ usage, ended: true, outputTokens: 5, estimated: false });
  });

  it('is read the same as plain JSON, split anywhere', () => {
    const key = fc.constantFrom('id', 'model', 'usage', 'error', 'content', 'choices', 'type', 'response', 'x"\\');
    const { value } = fc.letrec<{ value: unknown }>(tie => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.string({ unit: 'grapheme' }),
        fc.double(),
        fc.constantFrom(null, true),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(key, tie('value'), { maxKeys: 5 }),
      ),
    }));
    fc.assert(
      fc.property(fc.dictionary(key, value), fc.constantFrom(0, 2), places, (body, indent, at) => {
        const bytes = Buffer.from(JSON.stringify(body, null, indent));
        const plain = { contentType: 'application/json' };
        const whole = readAnswer(route, [bytes], plain);
        expect(readAnswer(route, cutAt(bytes, at), plain)).toEqual(whole);
        expect(whole.passed).toBe(bytes.toString('utf8'));
        expect(whole.summary.ended).toBe(true);
        expect(whole.summary.id).toEqual(typeof body['id'] === 'string' && body['id'] !== '' ? body['id'] : undefined);
      }),
      { numRuns: 500 },
    );
  });
});
