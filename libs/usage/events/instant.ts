import { isCalendarDay } from '../periods/calendar-date.js';

const INSTANT =
  /^(\d{4})-(\d{2})-(\d{2})[Tt]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:[.,](\d{1,9}))?)?(?:[Zz]|([+-])([01]\d|2[0-3])(?::?([0-5]\d))?)$/;

/**
 * Milliseconds since 1970 of an ISO 8601 instant with a time zone. Undefined for other texts, for days that do not
 * exist, and outside the years 1970 to 9999. Seconds are optional; digits below a millisecond are cut. Leap seconds
 * (`:60`) are refused, because JavaScript and PostgreSQL cannot distinguish them from the next second.
 */
export function parseInstant(text: string): number | undefined {
  const match = INSTANT.exec(text);
  if (!match) return undefined;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (!isCalendarDay(year, month, day)) return undefined;
  const fraction = match[7] === undefined ? 0 : Number(match[7].slice(0, 3).padEnd(3, '0'));
  const local = Date.UTC(year, month - 1, day, Number(match[4]), Number(match[5]), Number(match[6] ?? 0), fraction);
  const offset = match[8] === undefined ? 0 : (Number(match[9]) * 60 + Number(match[10] ?? 0)) * 60_000;
  const instant = match[8] === '-' ? local + offset : local - offset;
  // Date.UTC interprets the years 0 to 99 as 1900 to 1999.
  return year >= 1969 && instant >= 0 && instant < 253_402_300_800_000 ? instant : undefined;
}
