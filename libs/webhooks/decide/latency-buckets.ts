/**
 * Upper bounds of the buckets in which the durations of attempts are counted, in milliseconds. The last bucket has no
 * bound.
 */
export const LATENCY_BOUNDS_MS = [10, 25, 50, 100, 200, 350, 500, 750, 1_000, 1_500, 2_500, 5_000, 7_500] as const;

/** Time limit of an attempt, which bounds the last bucket. */
const LONGEST_MS = 10_000;

/**
 * The duration, in milliseconds, that the given share of attempts did not exceed. It is an estimate: within a bucket,
 * durations count as evenly spread. Null without attempts.
 * @param counts attempts per bucket; empty for an hour that an earlier version recorded without durations
 * @param share the share, from 0 to 1
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
