import type { AnswerUsage } from '../call/streamed-call.js';

/**
 * The usage of an answer. Reads the AI SDK's usage object of version 4 (totals with their parts), and the flat object
 * of earlier versions. Undefined if the provider reported no totals.
 */
export function aiUsageOf(usage: unknown): AnswerUsage | undefined {
  if (!isRecord(usage)) return undefined;
  const { inputTokens, outputTokens } = usage;
  const [input, output] = [recordOf(inputTokens), recordOf(outputTokens)];
  const details = recordOf(usage['inputTokenDetails']);
  const total = { input: countOf(input['total'] ?? inputTokens), output: countOf(output['total'] ?? outputTokens) };
  if (total.input === undefined || total.output === undefined) return undefined;
  const cacheRead = countOf(input['cacheRead'] ?? details['cacheReadTokens'] ?? usage['cachedInputTokens']);
  const cacheWrite = countOf(input['cacheWrite'] ?? details['cacheWriteTokens']);
  const thought = recordOf(usage['outputTokenDetails'])['reasoningTokens'] ?? usage['reasoningTokens'];
  const reasoning = countOf(output['reasoning'] ?? thought);
  return {
    inputTokens: {
      total: total.input,
      ...(cacheRead === undefined ? {} : { cacheRead }),
      ...(cacheWrite === undefined ? {} : { cacheWrite }),
    },
    outputTokens: { total: total.output, ...(reasoning === undefined ? {} : { reasoning }) },
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function recordOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
