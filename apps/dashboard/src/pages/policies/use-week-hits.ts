import { useMemo } from 'react';
import { useWhole } from '../../data/use-whole.ts';
import { useNow } from '../../parts/time.tsx';

const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * 24 * HOUR_MS;

/** Hits of the last seven days by policy. Undefined until they are loaded. A policy without hits has no entry. */
export function useWeekHits(): ReadonlyMap<string, number> | undefined {
  // The time is rounded to the hour, so that the query is cached.
  const hour = Math.floor(useNow() / HOUR_MS) * HOUR_MS;
  const { items, isPending, error } = useWhole('listPolicyHits', { since: new Date(hour - WEEK_MS).toISOString() });
  return useMemo(
    () => (isPending || error ? undefined : new Map(items.map(({ policy_id, hits }) => [policy_id, hits]))),
    [items, isPending, error],
  );
}
