import { addDays, dayOf, startOfDay } from './time.ts';

/** Named ranges. Day ranges cover whole days in the organization's time zone, including today. */
export const RANGES = [
  { id: '24h', name: 'Last 24 hours' },
  { id: '7d', name: 'Last 7 days', days: 7 },
  { id: '30d', name: 'Last 30 days', days: 30 },
  { id: '90d', name: 'Last 90 days', days: 90 },
] as const;

/** The default range. */
const DEFAULT_RANGE = '7d';

/** A time range: instants for lists, calendar days for usage. */
export interface Range {
  id: string;
  name: string;
  /** Start of the range, in ISO 8601. Rounded to the minute, so that the same address gives the same query. */
  since: string;
  /** End of the range, exclusive. Undefined means that the range ends now. */
  until: string | undefined;
  firstDay: string;
  lastDay: string;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Parses the range in an address: `7d`, or `2026-11-01..2026-11-15`, which includes both days. */
export function rangeOf(id: string | undefined, zone: string, now: number): Range {
  const today = dayOf(new Date(now), zone);
  const [first, last] = (id ?? '').split('..');
  if (first && last && DAY.test(first) && DAY.test(last) && first <= last) {
    const until = startOfDay(addDays(last, 1), zone).toISOString();
    return {
      id: `${first}..${last}`,
      name: `${first} to ${last}`,
      since: startOfDay(first, zone).toISOString(),
      until,
      firstDay: first,
      lastDay: last,
    };
  }
  const preset = RANGES.find(range => range.id === id) ?? RANGES.find(range => range.id === DEFAULT_RANGE) ?? RANGES[1];
  if (!('days' in preset)) {
    const since = new Date(Math.floor(now / 60_000) * 60_000 - 86_400_000);
    return { ...preset, since: since.toISOString(), until: undefined, firstDay: dayOf(since, zone), lastDay: today };
  }
  const firstDay = addDays(today, 1 - preset.days);
  return {
    id: preset.id,
    name: preset.name,
    since: startOfDay(firstDay, zone).toISOString(),
    until: undefined,
    firstDay,
    lastDay: today,
  };
}
