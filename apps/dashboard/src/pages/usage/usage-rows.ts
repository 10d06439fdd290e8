import type { SeriesGroup } from '../../data/ahead.ts';
import { sortedBy } from '../../data/use-whole.ts';
import { groupName } from '../../charts/usage-stack.ts';

/** The filter of the page that each grouping stands for. */
const FILTER_OF: Readonly<Record<string, string>> = {
  model: 'model',
  provider: 'provider',
  department: 'department',
  user: 'user_id',
};

/** The filters that show what one group is made of: a model by user, and everything else by model. */
export function insideOf(by: string, { key }: SeriesGroup): Record<string, string> | undefined {
  const filter = FILTER_OF[by];
  if (typeof key !== 'string' || filter === undefined) return undefined;
  return { [filter]: key, ...(by === 'model' && { by: 'user' }) };
}

const ORDERS = {
  name: (group: SeriesGroup) => groupName(group),
  total: ({ total }: SeriesGroup) => total,
  unpriced: ({ unpriced_requests }: SeriesGroup) => unpriced_requests,
};

/** The groups whose name has a text in it, in an order; without one, the largest first. */
export function groupsShown(
  groups: readonly SeriesGroup[],
  text: string | undefined,
  sort: string | undefined,
): SeriesGroup[] {
  const part = (text ?? '').trim().toLowerCase();
  const found = groups.filter(group => groupName(group).toLowerCase().includes(part));
  return sortedBy(found, sort, ORDERS);
}

/** How many groups the page reads at first, and at most. */
const FIRST = 100;
const MOST = 1_000;

/** Points that the API answers at most. */
const POINTS = 60_000;

/** How many groups to read of a range with so many periods. */
export function topOf(wantsAll: boolean, periods: number): number {
  return wantsAll ? Math.min(MOST, Math.floor(POINTS / Math.max(1, periods))) : FIRST;
}
