import { useMemo } from 'react';
import { rangeOf, type Range } from '../data/range.ts';
import { useNow, useZone } from './time.tsx';
import { useFilters } from './use-filters.ts';

/** The time range of the page, from its address. */
export function useRange(): Range {
  const [{ range }] = useFilters<'range'>();
  const zone = useZone();
  // The times are rounded to five minutes, so that several renders use the same range and the same query.
  const minute = Math.floor(useNow() / 300_000) * 300_000;
  return useMemo(() => rangeOf(range, zone, minute), [range, zone, minute]);
}
