import type { SeriesGroup, SeriesLine, UsageSeries } from '../../data/ahead.ts';
import { count, money, shortCount, shortMoney } from '../../data/format.ts';
import type { Range } from '../../data/range.ts';

/** What usage is grouped by. */
export const GROUPS = ['model', 'user', 'department', 'provider'] as const;

/** What is added up. */
export const METRICS = ['cost_usd', 'requests', 'tokens'] as const;

/** How many series a chart tells apart; the others are one. */
const SERIES = 5;

/** Length of the bars of a range. */
export function periodOf({ id, firstDay, lastDay }: Range): 'hourly' | 'daily' | 'weekly' {
  if (id === '24h' || firstDay === lastDay) return 'hourly';
  const days = (Date.parse(lastDay) - Date.parse(firstDay)) / 86_400_000;
  return days > 100 ? 'weekly' : 'daily';
}

/** The name of a group; what usage does not name is said so. */
export function nameOf({ key, user_email }: SeriesGroup): string {
  if (user_email !== null) return user_email;
  const keys = Array.isArray(key) ? key : [key];
  return keys.map(each => (each === null || each === '' ? 'not named' : each)).join(' · ');
}

/** A series of the API as the chart takes it: the largest five, and everything else as one. */
export function chartOf(data: UsageSeries) {
  const isMoney = data.metric.startsWith('cost');
  const shown = data.groups.length > SERIES + 1 || data.other !== null ? data.groups.slice(0, SERIES) : data.groups;
  const rest: SeriesLine[] = [...data.groups.slice(shown.length), ...(data.other ? [data.other] : [])];
  const series = shown.map((group, at) => ({
    id: `${at} ${nameOf(group)}`,
    name: nameOf(group),
    values: group.points.map(({ value }) => value),
  }));
  const other = {
    id: 'other',
    name: 'All others',
    isOther: true,
    values: data.points.map((_, at) => rest.reduce((sum, { points }) => sum + (points[at]?.value ?? 0), 0)),
  };
  return {
    periods: data.points.map(({ period }) => period),
    series: rest.length > 0 ? [...series, other] : series,
    format: isMoney ? money : count,
    axis: isMoney ? shortMoney : shortCount,
    unit: { hourly: 'hour', daily: 'day', weekly: 'week', monthly: 'month' }[data.period] ?? 'period',
  };
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** What stands below a bar: not more than a dozen of them. */
export function tickOf(period: string, place: number, periods: number): string | undefined {
  const every = Math.ceil(periods / 12);
  if (place % every !== 0) return undefined;
  const hour = /T(\d\d):/.exec(period)?.[1];
  if (hour !== undefined) return `${hour}:00`;
  const [, month, day] = /^\d{4}-(\d\d)-(\d\d)$/.exec(period) ?? [];
  return month === undefined ? period : `${MONTHS[Number(month) - 1]} ${Number(day)}`;
}
