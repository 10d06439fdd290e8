import type { SeriesGroup, SeriesLine, UsageSeries } from '../data/ahead.ts';
import type { Range } from '../data/range.ts';
import { knownSum } from './scale.ts';
import type { Series } from './stacked-bars.tsx';

/** How many series a chart tells apart; the others are one. */
const SERIES = 5;

/** Length of the bars of a range. */
export function periodOf({ id, firstDay, lastDay }: Range): 'hourly' | 'daily' | 'weekly' {
  if (id === '24h' || firstDay === lastDay) return 'hourly';
  const days = (Date.parse(lastDay) - Date.parse(firstDay)) / 86_400_000;
  return days > 100 ? 'weekly' : 'daily';
}

/** How many bars a range has, at most. */
export function periodsIn({ firstDay, lastDay }: Range, period: ReturnType<typeof periodOf>): number {
  const days = (Date.parse(lastDay) - Date.parse(firstDay)) / 86_400_000 + 1;
  return { hourly: days * 25, daily: days, weekly: Math.ceil(days / 7) + 1 }[period];
}

/** The name of a group; what usage does not name is said so. */
export function groupName({ key, user_email }: SeriesGroup): string {
  if (user_email !== null) return user_email;
  const keys = Array.isArray(key) ? key : [key];
  return keys.map(each => (each === null || each === '' ? 'not set' : each)).join(' · ');
}

/** Usage of the API as a chart takes it: the largest groups, and everything else as one. */
export function stackOf({ groups, other, points }: UsageSeries): Series[] {
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

/** What stands below a bar: the hour, the day, or the period's own name. */
export function tickOf(period: string): string {
  const hour = /T(\d\d):/.exec(period)?.[1];
  if (hour !== undefined) return `${hour}:00`;
  const [, month, day] = /^\d{4}-(\d\d)-(\d\d)$/.exec(period) ?? [];
  return month === undefined ? period : `${MONTHS[Number(month) - 1]} ${Number(day)}`;
}
