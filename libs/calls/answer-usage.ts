import { serviceTierNamed } from '#core';
import type { CallUsage } from './call.js';

/**
 * The usage that an answer or a chunk contains: `{ id, model, service_tier, usage }`, as OpenAI and Anthropic answer.
 * Token counts of the AI SDK are used unchanged. Undefined if the answer has no `usage`.
 */
export function usageOfAnswer(answer: unknown): CallUsage | undefined {
  if (!isRecord(answer)) return undefined;
  const { id, model, service_tier: tierName, usage } = answer;
  const tier = serviceTierNamed(tierName);
  if (!isRecord(usage)) return undefined;
  const { inputTokens, outputTokens } = usage;
  const isCounted = typeof inputTokens === 'number' && typeof outputTokens === 'number';
  return {
    ...(typeof id === 'string' && { id }),
    ...(typeof model === 'string' && { model }),
    ...(tier !== undefined && { service_tier: tier }),
    ...(isCounted ? { input_tokens: inputTokens, output_tokens: outputTokens } : { usage }),
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
