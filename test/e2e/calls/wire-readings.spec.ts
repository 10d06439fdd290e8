import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AnswerReader, readWireRequest, usageOfAnswer, wireRouteOf, type AnswerSummary, type WireUsage } from '#wire';
import { startProvider, type Provider } from '../../support/providers/provider.js';
import type { Script } from '../../support/providers/script.js';

/**
 * Compares the usage that the readers of API formats extract from answers with the emulated provider's records. Reader
 * and emulator were written independently, from the vendors' documentation.
 */

const TOOL = { name: 'forecast', arguments: { city: 'Zürich', days: 3 } };
const PROMPT = 'x'.repeat(40);
const messages = [{ role: 'user', content: PROMPT }];
const tokens = { max_tokens: 1000 };
const thinking = { type: 'enabled', budget_tokens: 500 };

/** Requests by endpoint. The prompt of each has this many estimated tokens. */
const REQUESTS = {
  chat: { path: '/v1/chat/completions', prompt: 13, body: { model: 'gpt-4o-mini', messages } },
  completions: { path: '/v1/completions', prompt: 10, body: { model: 'gpt-3.5-turbo-instruct', prompt: PROMPT } },
  responses: { path: '/v1/responses', prompt: 10, body: { model: 'gpt-5-mini', input: PROMPT } },
  messages: { path: '/v1/messages', prompt: 13, body: { model: 'claude-haiku-4-5', messages, ...tokens, thinking } },
} as const;
type Endpoint = keyof typeof REQUESTS;
const ENDPOINTS = Object.keys(REQUESTS) as Endpoint[];

let providers: Record<'openai' | 'anthropic', Provider>;

beforeAll(async () => {
  providers = {
    openai: await startProvider({ kind: 'openai' }),
    anthropic: await startProvider({ kind: 'anthropic' }),
  };
});
beforeEach(async () => {
  for (const provider of Object.values(providers)) {
    await provider.idle();
    provider.clear();
  }
});
afterAll(() => Promise.all(Object.values(providers).map(provider => provider.close())));

interface Reading {
  passed: string;
  summary: AnswerSummary;
  usage: WireUsage;
}

/** Sends the request and reads the answer to its end, or to the point where the provider breaks it off. */
async function ask(endpoint: Endpoint, more: object, script: Script): Promise<[Reading, Provider]> {
  const { path, body, prompt } = REQUESTS[endpoint];
  const kind = endpoint === 'messages' ? 'anthropic' : 'openai';
  const provider = providers[kind];
  provider.next({ promptTokens: prompt, ...script });
  const route = wireRouteOf(kind, 'POST', path)!;
  const request = readWireRequest(route, { ...body, ...more });
  const headers =
    kind === 'openai'
      ? { authorization: `Bearer ${provider.key}` }
      : { 'x-api-key': provider.key, 'anthropic-version': '2026-10-21' };
  const answer = await fetch(provider.url + path, { method: 'POST', headers, body: JSON.stringify(request.body) });
  const { hidesUsageChunk } = request;
  const contentType = answer.headers.get('content-type');
  const reader = new AnswerReader(route, { status: answer.status, contentType, hidesUsageChunk });
  const passed: Uint8Array[] = [];
  try {
    for await (const bytes of answer.body ?? []) passed.push(...reader.push(bytes));
  } catch {
    // The provider broke the answer off. The usage in the part that was read counts.
  }
  await provider.idle();
  const summary = reader.end();
  const text = Buffer.concat([...passed, ...summary.rest]).toString();
  return [{ passed: text, summary, usage: usageOfAnswer(request, summary) }, provider];
}

const WHOLE: Record<string, Script> = {
  'a text': { outputTokens: 50 },
  'cached tokens': { promptTokens: 2000, cachedTokens: 1024, cacheWriteTokens: 512 },
  'hidden or shown reasoning': { reasoningTokens: 40, outputTokens: 9 },
  'tools after text': { outputTokens: 3, tools: [TOOL, TOOL] },
  'tools alone': { tools: [TOOL] },
  'pieces of one byte': { pieces: [1], outputTokens: 30 },
  'pieces of several sizes': { pieces: [1, 17, 3, 256], outputTokens: 60, tokensPerDelta: 4 },
  'other line ends and comments': { newline: '\r\n', comments: true, pieces: [5] },
  'lone carriage returns': { newline: '\r', comments: true, pieces: [1] },
};
const cases = (scripts: Record<string, Script>): [string, Endpoint, Script][] =>
  Object.entries(scripts).flatMap(([name, script]) => ENDPOINTS.map(endpoint => [name, endpoint, script] as never));

describe('reading a complete answer', () => {
  it.each(cases(WHOLE))("returns the provider's figures with %s from %s, plain and streamed", async (_, at, script) => {
    for (const more of [{}, { stream: true }]) {
      const [{ summary, usage }, provider] = await ask(at, more, script);
      const { answerId, answeredModel, usage: served, outputTokens } = provider.served.at(-1)!;
      expect(summary).toMatchObject({
        id: answerId,
        model: answeredModel,
        ended: true,
        estimated: false,
        outputTokens,
      });
      expect(usage).toMatchObject({ id: answerId, model: answeredModel });
      for (const [field, value] of Object.entries(served as object)) {
        if (value !== null) expect(usage.usage).toHaveProperty([field], value);
      }
      expect(usage.estimated).toBeUndefined();
      expect(summary.error).toBeUndefined();
    }
  });

  it.each(['chat', 'completions'] as const)('hides the usage of %s that the client did not ask for', async at => {
    const [{ passed, summary }] = await ask(at, { stream: true }, { pieces: [7, 100] });
    expect(passed).not.toContain('total_tokens');
    expect(passed.trimEnd()).toMatch(/data: \[DONE\]$/);
    expect(summary.usage).toBeDefined();
    const [asked] = await ask(at, { stream: true, stream_options: { include_usage: true } }, { pieces: [7, 100] });
    expect(asked.passed).toContain('total_tokens');
  });
});

describe('reading a stream that breaks off', () => {
  const BROKEN: Record<string, Script> = {
    'a reset': { death: { how: 'reset', at: 7 } },
    'a reset in the middle of an event': { death: { how: 'reset', at: 7 }, midFrame: true, pieces: [3] },
    'an end of the connection': { death: { how: 'close', at: 7 }, tokensPerDelta: 2 },
    'an end of the body': { death: { how: 'end', at: 7 } },
    'an error': { death: { how: 'error', at: 7 }, pieces: [2] },
    'a death among the tools': { outputTokens: 4, tools: [TOOL], death: { how: 'close', at: 8 } },
    'a death after the last token': { outputTokens: 7, death: { how: 'close', at: 7 } },
    'a death before the first token': { death: { how: 'close', at: 0 } },
  };
  it.each(cases(BROKEN).filter(([name, at]) => !(name.includes('tools') && at === 'completions')))(
    'counts the tokens that were sent, by %s from %s',
    async (name, at, script) => {
      const [{ summary, usage }, provider] = await ask(at, { stream: true }, script);
      const { outputTokens, promptTokens } = provider.served.at(-1)!;
      expect(summary).toMatchObject({ ended: false, estimated: true });
      expect(summary.error !== undefined).toBe(name === 'an error');
      expect(usage.estimated).toBe(true);
      if (at === 'messages') {
        expect(usage.usage).toMatchObject({ input_tokens: promptTokens, output_tokens: outputTokens });
      } else {
        expect(usage).toMatchObject({ input_tokens: promptTokens, output_tokens: outputTokens });
      }
    },
  );
});
