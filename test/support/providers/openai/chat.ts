import { randomBytes } from 'node:crypto';
import { asInteger, asRecord, type JsonRecord } from '../json.js';
import { planOf, type Plan } from '../generation.js';
import type { Script } from '../script.js';
import { promptTokensOf, textOf } from '../tokens.js';
import type { Frame, ModelAnswer } from '../vendor.js';
import { completionUsage } from './usage.js';
import { newId, nowSeconds } from '../ids.js';
import { streamError } from './stream-error.js';

/** `/v1/chat/completions`: one answer with all its choices. */
export function chatAnswer(body: JsonRecord, model: string, script: Script): ModelAnswer {
  const id = newId('chatcmpl-');
  const created = nowSeconds();
  const choices = asInteger(body['n']) ?? 1;
  const plan = planOf(script, {
    promptTokens: promptTokensOf([body['messages'], body['tools'], body['functions']]),
    maxTokens: asInteger(body['max_completion_tokens']) ?? asInteger(body['max_tokens']),
    choices,
  });
  const callIds = plan.tools.map(() => newId('call_'));
  const common = {
    id,
    object: 'chat.completion.chunk',
    created,
    model,
    service_tier: 'default',
    system_fingerprint: 'fp_emulator',
  };
  const usage = (visible: number): JsonRecord => completionUsage(plan.generation, visible);
  return {
    id,
    model,
    generation: plan.generation,
    usage,
    plain: () => {
      const { service_tier, system_fingerprint, ...head } = common;
      const tool_calls = plan.tools.map(({ name, json }, index) => ({
        id: callIds[index],
        type: 'function',
        function: { name, arguments: json },
      }));
      const message = {
        role: 'assistant',
        content: plan.textTokens > 0 || tool_calls.length === 0 ? textOf(0, plan.textTokens) : null,
        refusal: null,
        annotations: [],
        ...(tool_calls.length > 0 && { tool_calls }),
      };
      return JSON.stringify({
        ...head,
        object: 'chat.completion',
        choices: Array.from({ length: choices }, (_, index) => ({
          index,
          message,
          logprobs: null,
          finish_reason: finishOf(plan),
        })),
        usage: usage(plan.generation.visibleTokens),
        service_tier,
        system_fingerprint,
      });
    },
    frames: () => {
      const options = asRecord(body['stream_options']);
      const includesUsage = options?.['include_usage'] === true;
      const pads = options?.['include_obfuscation'] !== false;
      const write: WriteChunk = (tokens, deltas, finish = null) => {
        const chunk = {
          ...common,
          choices: deltas.map((delta, index) => ({ index, delta, logprobs: null, finish_reason: finish })),
          ...(includesUsage && { usage: null }),
          ...(pads && { obfuscation: randomBytes(6).toString('base64url') }),
        };
        return { data: JSON.stringify(chunk), tokens };
      };
      return chatFrames({ plan, choices, callIds, write }, function* () {
        if (includesUsage) {
          const last = { ...common, choices: [] };
          const data = JSON.stringify({ ...last, usage: usage(plan.generation.visibleTokens) });
          yield { data, tokens: 0, isUsage: true };
        }
        yield { data: '[DONE]', tokens: 0 };
      });
    },
    deathFrames: streamError,
  };
}

type WriteChunk = (tokens: number, deltas: JsonRecord[], finish?: string | null) => Frame;

interface ChatStream {
  plan: Plan;
  choices: number;
  callIds: readonly string[];
  write: WriteChunk;
}

/** Chunks of several choices alternate. A chunk contains one choice, because each choice has its own index. */
function* chatFrames({ plan, choices, callIds, write }: ChatStream, end: () => Iterable<Frame>): Iterable<Frame> {
  const all = function* (tokens: number, delta: JsonRecord, finish?: string): Iterable<Frame> {
    for (let index = 0; index < choices; index += 1) {
      if (choices === 1) yield write(tokens, [delta], finish ?? null);
      else yield reindexed(write(tokens, [delta], finish ?? null), index);
    }
  };
  const startsWithText = plan.textTokens > 0 || plan.tools.length === 0;
  if (startsWithText) yield* all(0, { role: 'assistant', content: '', refusal: null });
  for (let at = 0; at < plan.textTokens; at += plan.tokensPerDelta) {
    const to = Math.min(at + plan.tokensPerDelta, plan.textTokens);
    yield* all(to - at, { content: textOf(at, to) });
  }
  for (const [index, { name, nameTokens, fragments }] of plan.tools.entries()) {
    const head = { index, id: callIds[index], type: 'function', function: { name, arguments: '' } };
    const isFirst = index === 0 && !startsWithText;
    yield* all(nameTokens, { ...(isFirst && { role: 'assistant', content: null, refusal: null }), tool_calls: [head] });
    for (const fragment of fragments) {
      yield* all(1, { tool_calls: [{ index, function: { arguments: fragment } }] });
    }
  }
  yield* all(0, {}, finishOf(plan));
  yield* end();
}

function reindexed(frame: Frame, index: number): Frame {
  return { ...frame, data: frame.data.replace('"choices":[{"index":0', `"choices":[{"index":${index}`) };
}

function finishOf({ isTruncated, tools }: Plan): string {
  if (isTruncated) return 'length';
  return tools.length > 0 ? 'tool_calls' : 'stop';
}
