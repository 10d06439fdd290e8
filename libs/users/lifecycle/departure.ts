import { Temporal } from 'temporal-polyfill';

/** Date and reason of a departure. */
export interface Departure {
  /** The departure date as given: `YYYY-MM-DD` or an instant. Null if none was given. */
  readonly date: string | null;
  /** The instant of `date`. Null if `date` is null, and only then. */
  readonly at: Date | null;
  readonly reason: string | null;
  /** Whether the machine tokens that the user created are revoked at the departure. */
  readonly endsMachineTokens?: boolean;
}

const DAY = /^(\d{4})-\d{2}-\d{2}$/;
const INSTANT = /^(\d{4})-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;
const FIRST_YEAR = 1970;
const LAST_YEAR = 9999;

/** Returns the fault of a departure date, or undefined. */
export function departureDateDefect(value: unknown): string | undefined {
  if (typeof value === 'string' && instantOfDeparture(value, 'UTC') !== undefined) return undefined;
  return 'must be an existing day such as 2026-12-31, or a time with a time zone such as 2026-12-31T17:00:00Z';
}

/** Whether a departure date is a day, whose start depends on the time zone. */
export function isDay(date: string): boolean {
  return DAY.test(date);
}

/**
 * The instant of a departure date. A day begins with the first instant at which the clocks of the time zone show its
 * date. Undefined if the day or time does not exist in the years 1970 to 9999.
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
    // In time zones west of Greenwich, the last hours of 9999 are in the year 10000 in UTC.
    return instant.getUTCFullYear() > LAST_YEAR ? undefined : instant;
  } catch {
    // Thrown for dates such as 30 February and hours such as 25.
    return undefined;
  }
}
