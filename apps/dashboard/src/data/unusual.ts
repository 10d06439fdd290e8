import { count, money, words } from './format.ts';
import { shortDay, shortTime } from './time.ts';

interface Unusual {
  metric: string;
  observed: number;
  expected_high: number;
}

/**
 * The period of an anomaly, and the organization's time zone. The period is a day for a person, and an hour for the
 * organization.
 */
interface Moment {
  window: { start: string; end: string };
  zone: string;
}

const HOUR_MS = 3_600_000;
const DIGITS_MAX = 6;

/**
 * One line about an anomaly: `Unusual usage, Nov 28: 3 requests, at most 2.6 expected`. Without `moment`, the line
 * names no day. The day comes first, because lists cut off the end of a long line.
 */
export function unusual(anomaly: Unusual, kind?: unknown, moment?: Moment): string {
  const { observed, bound } = figuresOf(anomaly);
  const unit = anomaly.metric === 'cost_usd' ? '' : ` ${words(anomaly.metric)}`;
  const what = kind === 'pre_departure' ? 'Unusual usage before a departure' : 'Unusual usage';
  return `${what}${moment ? `, ${placeOf(moment)}` : ''}: ${observed}${unit}, at most ${bound} expected`;
}

/** The observed value and its upper bound, with enough digits that the two texts differ. */
export function figuresOf({ metric, observed, expected_high }: Unusual): { observed: string; bound: string } {
  const isCost = metric === 'cost_usd';
  let [value, bound] = isCost
    ? [money(observed), money(expected_high)]
    : [count(Math.round(observed)), count(Math.round(expected_high))];
  for (let digits = isCost ? 3 : 1; value === bound && digits <= DIGITS_MAX; digits++) {
    const format = new Intl.NumberFormat('en-US', {
      maximumFractionDigits: digits,
      ...(isCost && { style: 'currency', currency: 'USD', minimumFractionDigits: digits }),
    });
    [value, bound] = [format.format(observed), format.format(expected_high)];
  }
  return { observed: value, bound };
}

/** The day, or the hour: `Nov 28` or `Nov 28, 14:00`. */
export function placeOf({ window: { start, end }, zone }: Moment): string {
  const isHour = new Date(end).getTime() - new Date(start).getTime() <= HOUR_MS;
  return isHour ? shortTime(start, zone) : shortDay(start, zone);
}
