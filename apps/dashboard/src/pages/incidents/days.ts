import { addDays, dayOf, startOfDay } from '../../data/time.ts';

/** Ranges of days, for filters. */
export const DAYS_IDS = ['today', 'yesterday', '7d', '30d'] as const;

/** First day of a range, as a number of days before today. The range includes its last day. */
const FIRST = { today: 0, yesterday: 1, '7d': 6, '30d': 29 } as const;

/** Start and end of a range, in whole days of the time zone. If the end is missing, the range ends now. */
export function daysOf(id: (typeof DAYS_IDS)[number], zone: string, now: number): { since: string; until?: string } {
  const today = dayOf(new Date(now), zone);
  const since = startOfDay(addDays(today, -FIRST[id]), zone).toISOString();
  return id === 'yesterday' ? { since, until: startOfDay(today, zone).toISOString() } : { since };
}
