/** Upper bounds of the buckets that count how long attempts took, in milliseconds. The last bucket has no bound. */
export const LATENCY_BOUNDS_MS = [10, 25, 50, 100, 200, 350, 500, 750, 1_000, 1_500, 2_500, 5_000, 7_500] as const;

/** Attempts that take longer than this are given up. */
const LONGEST_MS = 10_000;

/**
 * The duration that a share of attempts did not exceed, in milliseconds, estimated within its bucket as if durations were
 * spread evenly. Null without attempts.
 * @param counts attempts per bucket; empty for hours from before durations were counted
 * @param share from 0 to 1
 */
export function percentileOf(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let below = 0;
  for (const [at, count] of counts.entries()) {
    if (count > 0 && below + count >= share * total) {
      const from = at === 0 ? 0 : (LATENCY_BOUNDS_MS[at - 1] ?? LONGEST_MS);
      const to = LATENCY_BOUNDS_MS[at] ?? LONGEST_MS;
      return Math.round(from + ((to - from) * (share * total - below)) / count);
    }
    below += count;
  }
  return LONGEST_MS;
}
