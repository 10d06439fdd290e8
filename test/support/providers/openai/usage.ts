import type { JsonRecord } from '../json.js';
import type { Generation } from '../vendor.js';

/** Usage of completions. The prompt includes cached tokens, the completion includes reasoning. */
export function completionUsage(generation: Generation, visibleTokens: number): JsonRecord {
  const { promptTokens, cachedTokens, reasoningTokens } = generation;
  const completion = visibleTokens + reasoningTokens;
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completion,
    total_tokens: promptTokens + completion,
    prompt_tokens_details: { cached_tokens: cachedTokens, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: reasoningTokens,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}

/** Usage of responses: the same figures under other names. */
export function responseUsage(generation: Generation, visibleTokens: number): JsonRecord {
  const { promptTokens, cachedTokens, cacheWriteTokens, reasoningTokens } = generation;
  const output = visibleTokens + reasoningTokens;
  return {
    input_tokens: promptTokens,
    input_tokens_details: { cached_tokens: cachedTokens, cache_write_tokens: cacheWriteTokens },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: promptTokens + output,
  };
}
