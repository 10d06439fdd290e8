import { useEffect } from 'react';
import type { InputOf } from './call.ts';
import { rowsOf } from './csv.ts';
import { useList, type ItemOf, type List, type ListOperation } from './use-api.ts';

/**
 * Reads all pages of a list that has one entry for each thing that a person made, such as policies. It is pending until
 * it is whole, so that what is filtered, sorted or added up here is exact. Not for lists that grow by themselves.
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
  // A list that is not whole must not look like one.
  if (error !== null && hasMore) return { ...list, items: [], isPending: false };
  return { ...list, isPending: list.isPending || hasMore };
}

/** A whole list with other items: fewer, or in another order. */
export function whole<Item extends { id: string }>(list: List<unknown>, items: Item[]): List<Item> {
  const ids = items.map(({ id }) => id);
  return { ...list, items, total: undefined, csv: async () => rowsOf(await list.csv(), ids) };
}

/** Orders items by a value of theirs; `-name` is descending. Missing values come last, equal ones stay as they were. */
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
