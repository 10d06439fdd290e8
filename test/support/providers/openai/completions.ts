import { asInteger, asRecord, type JsonRecord } from '../json.js';
import { planOf } from '../generation.js';
import type { Script } from '../script.js';
import { promptTokensOf, textOf } from '../tokens.js';
import type { Frame, ModelAnswer } from '../vendor.js';
import { newId, nowSeconds } from '../ids.js';
import { streamError } from './stream-error.js';
import { completionUsage } from './usage.js';

/** Without a limit in the request, this endpoint generates at most sixteen tokens. */
const DEFAULT_MAX_TOKENS = 16;

/** `/v1/completions`, the older endpoint without chat and tools. */
export function completionAnswer(body: JsonRecord, model: string, script: Script): ModelAnswer {
  const id = newId('cmpl-');
  const plan = planOf(
    { ...script, tools: [] },
    {
      promptTokens: promptTokensOf([body['prompt']]),
      maxTokens: asInteger(body['max_tokens']) ?? DEFAULT_MAX_TOKENS,
    },
  );
  const finish = plan.isTruncated ? 'length' : 'stop';
  const head = { id, object: 'text_completion', created: nowSeconds(), model };
  const choice = (text: string, finish_reason: string | null): JsonRecord => ({
    text,
    index: 0,
    logprobs: null,
    finish_reason,
  });
  const usage = (visible: number): JsonRecord => completionUsage(plan.generation, visible);
  const includesUsage = asRecord(body['stream_options'])?.['include_usage'] === true;
  return {
    id,
    model,
    generation: plan.generation,
    usage,
    plain: () =>
      JSON.stringify({
        ...head,
        choices: [choice(textOf(0, plan.textTokens), finish)],
        usage: usage(plan.generation.visibleTokens),
      }),
    *frames(): Iterable<Frame> {
      const chunk = (tokens: number, text: string, finish_reason: string | null = null): Frame => {
        const fields = { ...head, choices: [choice(text, finish_reason)], ...(includesUsage && { usage: null }) };
        return { data: JSON.stringify(fields), tokens };
      };
      for (let at = 0; at < plan.textTokens; at += plan.tokensPerDelta) {
        const to = Math.min(at + plan.tokensPerDelta, plan.textTokens);
        yield chunk(to - at, textOf(at, to));
      }
      yield chunk(0, '', finish);
      if (includesUsage) {
        const data = JSON.stringify({ ...head, choices: [], usage: usage(plan.generation.visibleTokens) });
        yield { data, tokens: 0, isUsage: true };
      }
      yield { data: '[DONE]', tokens: 0 };
    },
    deathFrames: streamError,
  };
}
