import type { CallUsage } from './call.js';

/**
 * What an answer or a chunk says of its usage by itself: `{ id, model, usage }`, as OpenAI and Anthropic answer, with the
 * counts of the AI SDK as they are. Undefined where it has no `usage`.
 */
export function usageOfAnswer(answer: unknown): CallUsage | undefined {
  const usage = fieldOf(answer, 'usage');
  if (typeof usage !== 'object' || usage === null) return undefined;
  const [id, model] = [fieldOf(answer, 'id'), fieldOf(answer, 'model')];
  const [input, output] = [fieldOf(usage, 'inputTokens'), fieldOf(usage, 'outputTokens')];
  const isCounted = typeof input === 'number' && typeof output === 'number';
  return {
    ...(typeof id === 'string' && { id }),
    ...(typeof model === 'string' && { model }),
    ...(isCounted ? { input_tokens: input, output_tokens: output } : { usage }),
  };
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
