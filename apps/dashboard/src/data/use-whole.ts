import { useEffect } from 'react';
import type { InputOf } from './call.ts';
import { rowsOf } from './csv.ts';
import { useList, type ItemOf, type List, type ListOperation } from './use-api.ts';

/**
 * Reads all pages of a list whose entries people create, such as policies. The result is pending until the list is
 * complete, so that filters, orders and sums in the browser are exact. Do not use this for lists that grow with usage.
 */
export function useWhole<O extends ListOperation>(
  operation: O,
  input: InputOf<O>,
  options: { enabled?: boolean } = {},
): List<ItemOf<O>> {
  const list = useList(operation, input, options);
  const { hasMore, isLoadingMore, error, more } = list;
  useEffect(() => {
    if (hasMore && !isLoadingMore && error === null) more();
  }, [hasMore, isLoadingMore, error, more]);
  // An incomplete list must never be shown as complete.
  if (error !== null && hasMore) return { ...list, items: [], isPending: false };
  return { ...list, isPending: list.isPending || hasMore };
}

/** The same list with other items: filtered or reordered. */
export function whole<Item extends { id: string }>(list: List<unknown>, items: Item[]): List<Item> {
  const ids = items.map(({ id }) => id);
  return { ...list, items, total: undefined, csv: async () => rowsOf(await list.csv(), ids) };
}

/** Sorts items by a property. A `-` before the name means descending. Missing values come last. The sort is stable. */
export function sortedBy<Item>(
  items: readonly Item[],
  sort: string | undefined,
  values: Readonly<Record<string, (item: Item) => string | number | null>>,
): Item[] {
  const value = values[(sort ?? '').replace(/^-/, '')];
  if (sort === undefined || value === undefined) return [...items];
  const sign = sort.startsWith('-') ? -1 : 1;
  return items.toSorted((one, other) => {
    const [a, b] = [value(one), value(other)];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return sign * (typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b), 'en'));
  });
}
