import type { SeriesGroup } from '../../data/usage-series.ts';
import { sortedBy } from '../../data/use-whole.ts';
import { groupName } from '../../charts/usage-stack.ts';

/** For each grouping, the filter of the page that selects one group. */
const FILTER_OF: Readonly<Record<string, string>> = {
  model: 'model',
  provider: 'provider',
  department: 'department',
  user: 'user_id',
};

/** The filters for the details of one group. A model is divided by user, every other group by model. */
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

/** The groups whose name contains a text, sorted. Groups with an unknown total come last. */
export function groupsShown(groups: readonly SeriesGroup[], text: string | undefined, sort: string): SeriesGroup[] {
  const part = (text ?? '').trim().toLowerCase();
  const found = groups.filter(group => groupName(group).toLowerCase().includes(part));
  return sortedBy(found, sort, ORDERS);
}

/** Number of groups that the page reads at first, and the maximum number. */
const FIRST = 100;
const MOST = 1_000;

/** Maximum number of points that the API returns. */
const POINTS = 60_000;

/** Number of groups to read for this number of periods. */
export function topOf(wantsAll: boolean, periods: number): number {
  return wantsAll ? Math.min(MOST, Math.floor(POINTS / Math.max(1, periods))) : FIRST;
}
