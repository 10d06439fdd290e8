import { useMemo } from 'react';
import { rangeOf, type Range } from '../data/range.ts';
import { useNow, useZone } from './time.tsx';
import { useFilters } from './use-filters.ts';

/** The time range of the page, as its address names it. */
export function useRange(): Range {
  const [{ range }] = useFilters<'range'>();
  const zone = useZone();
  // The same minute gives the same range, so that a query is not another one at each drawing.
  const minute = Math.floor(useNow() / 300_000) * 300_000;
  return useMemo(() => rangeOf(range, zone, minute), [range, zone, minute]);
}
