import { Temporal } from 'temporal-polyfill';

/** When and why somebody leaves. */
export interface Departure {
  /** As it was given: `YYYY-MM-DD` or an instant. Null where nobody said. */
  readonly date: string | null;
  /** The instant of `date`; null exactly where that is. */
  readonly at: Date | null;
  readonly reason: string | null;
  /** Whether the machine tokens that the user made are revoked then. */
  readonly endsMachineTokens?: boolean;
}

const DAY = /^(\d{4})-\d{2}-\d{2}$/;
const INSTANT = /^(\d{4})-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;
const FIRST_YEAR = 1970;
const LAST_YEAR = 9999;

/** What is wrong with a departure date, or undefined. */
export function departureDateDefect(value: unknown): string | undefined {
  if (typeof value === 'string' && instantOfDeparture(value, 'UTC') !== undefined) return undefined;
  return 'must be an existing day such as 2026-12-31, or a time with a time zone such as 2026-12-31T17:00:00Z';
}

/** Whether a departure date is a day, whose beginning depends on a time zone. */
export function isDay(date: string): boolean {
  return DAY.test(date);
}

/**
 * When a departure date comes: an instant is itself; a day begins with the first instant that clocks of the time zone
 * show on it. Undefined where there is no such day or time in the years 1970 to 9999.
 * @param timeZone IANA name
 */
export function instantOfDeparture(date: string, timeZone: string): Date | undefined {
  const year = (DAY.exec(date) ?? INSTANT.exec(date))?.[1];
  if (year === undefined || Number(year) < FIRST_YEAR) return undefined;
  try {
    const instant = new Date(
      isDay(date)
        ? Temporal.PlainDate.from(date).toZonedDateTime(timeZone).epochMilliseconds
        : Temporal.Instant.from(date).epochMilliseconds,
    );
    // West of Greenwich the last hours of the year 9999 are of the next one.
    return instant.getUTCFullYear() > LAST_YEAR ? undefined : instant;
  } catch {
    // Neither 30 February nor 25 o'clock exists.
    return undefined;
  }
}
