import { useMemo } from 'react';
import { rangeOf, type Range } from '../data/range.ts';
import { useNow, useZone } from './time.tsx';
import { useFilters } from './use-filters.ts';

/** The time range of the page, from its address. */
export function useRange(): Range {
  const [{ range }] = useFilters<'range'>();
  const zone = useZone();
  // Rounded to five minutes, so that renders use the same range and query.
  const minute = Math.floor(useNow() / 300_000) * 300_000;
  return useMemo(() => rangeOf(range, zone, minute), [range, zone, minute]);
}
