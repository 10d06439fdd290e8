import type { SeriesGroup, SeriesLine, UsageSeries } from '../data/usage-series.ts';
import type { Range } from '../data/range.ts';
import { knownSum } from './scale.ts';
import type { Series } from './stacked-bars.tsx';

/** Maximum number of series in a chart. The remaining groups are added up in one further series. */
const SERIES = 5;

/** Length of one bar for a range. */
export function periodOf({ id, firstDay, lastDay }: Range): 'hourly' | 'daily' | 'weekly' {
  if (id === '24h' || firstDay === lastDay) return 'hourly';
  const days = (Date.parse(lastDay) - Date.parse(firstDay)) / 86_400_000;
  return days > 100 ? 'weekly' : 'daily';
}

/** Maximum number of bars for a range. */
export function periodsIn({ firstDay, lastDay }: Range, period: ReturnType<typeof periodOf>): number {
  const days = (Date.parse(lastDay) - Date.parse(firstDay)) / 86_400_000 + 1;
  return { hourly: days * 25, daily: days, weekly: Math.ceil(days / 7) + 1 }[period];
}

/** The name of a group, with a text for usage that has no value. */
export function groupName({ key, user_email }: SeriesGroup): string {
  if (user_email !== null) return user_email;
  const keys = Array.isArray(key) ? key : [key];
  return keys.map(each => (each === null || each === '' ? 'Not set' : each)).join(' · ');
}

/**
 * Converts usage from the API to series: one series for each of the largest groups, and one for the remaining groups.
 * Leaves out series without any bar, such as usage of models without a price, unless no series has a bar.
 */
export function stackOf(usage: UsageSeries): Series[] {
  const hasBar = ({ points }: SeriesLine): boolean => points.some(({ value }) => value !== null && value > 0);
  const drawn = { ...usage, groups: usage.groups.filter(hasBar) };
  const series = seriesOf(drawn.groups.length > 0 ? drawn : usage);
  const withBars = series.filter(({ values }) => values.some(value => value !== null && value > 0));
  return withBars.length > 0 ? withBars : series;
}

function seriesOf({ groups, other, points }: UsageSeries): Series[] {
  const shown = groups.length > SERIES || other !== null ? groups.slice(0, SERIES) : groups;
  const rest: SeriesLine[] = [...groups.slice(shown.length), ...(other ? [other] : [])];
  const series = shown.map((group, at) => ({
    id: `${at} ${groupName(group)}`,
    name: groupName(group),
    values: group.points.map(({ value }) => value),
  }));
  if (rest.length === 0) return series;
  const values = points.map((_, at) => knownSum(rest.map(({ points }) => points[at]?.value ?? null)));
  return [...series, { id: 'other', name: 'Other', isOther: true, values }];
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Label below a bar: the hour, the day, or the name of the period. */
export function tickOf(period: string): string {
  const hour = /T(\d\d):/.exec(period)?.[1];
  if (hour !== undefined) return `${hour}:00`;
  const [, month, day] = /^\d{4}-(\d\d)-(\d\d)$/.exec(period) ?? [];
  return month === undefined ? period : `${MONTHS[Number(month) - 1]} ${Number(day)}`;
}
