/**
 * Reported token counts. A missing count is undefined. A malformed count is passed on, so that validation rejects it.
 */
export interface ReportedCounts {
  readonly input: unknown;
  readonly output: unknown;
  readonly cacheRead: unknown;
  readonly cacheWrite: unknown;
  readonly reasoning: unknown;
}

/**
 * The token fields of a usage event. If there are fewer input tokens than cached tokens, the input count does not
 * include cached tokens, as in some instrumentations of Anthropic. The cached tokens are then added.
 */
export function tokenFields({ input, output, cacheRead, cacheWrite, reasoning }: ReportedCounts): object {
  const cached = countOf(cacheRead) + countOf(cacheWrite);
  return {
    input_tokens: typeof input === 'number' && input < cached ? input + cached : input,
    output_tokens: output,
    ...(countOf(cacheRead) > 0 ? { cache_read_tokens: cacheRead } : {}),
    ...(countOf(cacheWrite) > 0 ? { cache_write_tokens: cacheWrite } : {}),
    ...(countOf(reasoning) > 0 ? { reasoning_tokens: reasoning } : {}),
  };
}

function countOf(value: unknown): number {
  return typeof value === 'number' && value > 0 ? value : 0;
}
