/**
 * Functions that format times. All times are in the organization's time zone, which the page names beside the time
 * range.
 */
const LOCALE = 'en-US';
const formats = new Map<string, Intl.DateTimeFormat>();
// Each format is created only once, because creating it takes longer than using it hundreds of times.
const distances = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto' });

function format(zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${zone} ${JSON.stringify(options)}`;
  const known = formats.get(key) ?? new Intl.DateTimeFormat(LOCALE, { timeZone: zone, ...options });
  formats.set(key, known);
  return known;
}

/** A time in the time zone: `Nov 23, 14:05`. It contains the year if that is not the year of `now`. */
export function shortTime(at: string, zone: string, now = Date.now()): string {
  const date = new Date(at);
  const day = shortDay(at, zone, now);
  return `${day}, ${format(zone, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(date)}`;
}

/** The seconds of a time, in two digits. */
export function secondOf(at: string): string {
  return String(new Date(at).getUTCSeconds()).padStart(2, '0');
}

/** A day in the time zone: `Nov 23`. It contains the year if that is not the year of `now`. */
export function shortDay(at: string, zone: string, now = Date.now()): string {
  const year = format(zone, { year: 'numeric' });
  const date = new Date(at);
  const isThisYear = year.format(date) === year.format(now);
  return format(zone, { month: 'short', day: 'numeric', ...(!isThisYear && { year: 'numeric' }) }).format(date);
}

/** A calendar day in words: `Mon, Nov 23, 2026`. */
export function dayInWords(day: string): string {
  const options = { weekday: 'short', month: 'short', day: 'numeric', year: 'numeric' } as const;
  return format('UTC', options).format(new Date(`${day}T00:00:00Z`));
}

/** The full time: `Monday, November 23, 2026 at 14:05:09 GMT+1`. */
export function fullTime(at: string, zone: string): string {
  return format(zone, { dateStyle: 'full', timeStyle: 'long', hourCycle: 'h23' }).format(new Date(at));
}

const STEPS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/**
 * A relative time: `5 minutes ago`, `in 2 hours`. A difference of less than ten seconds is `now`, because the page
 * updates its time every ten seconds.
 */
export function distance(at: string, now: number): string {
  const difference = new Date(at).getTime() - now;
  if (Math.abs(difference) < 10_000) return 'now';
  const [unit, size] = STEPS.find(([, size]) => Math.abs(difference) >= size) ?? ['second', 1_000];
  return distances.format(Math.trunc(difference / size), unit);
}

/** The calendar day of a time in the time zone: `2026-11-23`. */
export function dayOf(at: Date | string, zone: string): string {
  const parts = format(zone, { year: 'numeric', month: '2-digit', day: '2-digit' }).formatToParts(new Date(at));
  const part = (type: string): string => parts.find(each => each.type === type)?.value ?? '';
  return `${part('year')}-${part('month')}-${part('day')}`;
}

/** The calendar day that is `days` days after another one. */
export function addDays(day: string, days: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().slice(0, 10);
}

/** The instant at which a calendar day begins in the time zone. */
export function startOfDay(day: string, zone: string): Date {
  const utc = new Date(`${day}T00:00:00Z`).getTime();
  // The calculation is repeated, because the first result may be on the other side of a clock change.
  const first = utc - offsetAt(utc, zone);
  return new Date(utc - offsetAt(first, zone));
}

/** The offset of the zone from UTC at an instant, in milliseconds. */
function offsetAt(instant: number, zone: string): number {
  const options = { hourCycle: 'h23', year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  const parts = format(zone, { ...options, hour: '2-digit', minute: '2-digit', second: '2-digit' }).formatToParts(
    instant,
  );
  const part = (type: string): number => Number(parts.find(each => each.type === type)?.value);
  const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  return local - Math.floor(instant / 1_000) * 1_000;
}
