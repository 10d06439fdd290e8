const INSTANT =
  /^(\d{4})-(\d{2})-(\d{2})T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
/** The first instant of the year 10000. */
const END = 253_402_300_800_000;

/**
 * Whether a value is an ISO 8601 instant with a time zone, on an existing day, from 1970 to the end of 9999 in UTC.
 * JavaScript and PostgreSQL support this range. Midnight is `00:00`, not `24:00`.
 */
export function isInstant(value: unknown): value is string {
  if (typeof value !== 'string') return false;
  const match = INSTANT.exec(value);
  if (!match) return false;
  // With the offset, 9999-12-31 in local time may be in the year 10000 in UTC.
  const instant = Date.parse(value);
  if (!(instant >= 0 && instant < END)) return false;
  // JavaScript parses the nonexistent 30 February as 2 March.
  const day = new Date(Date.UTC(Number(match[1]), Number(match[2]) - 1, Number(match[3])));
  return day.getUTCDate() === Number(match[3]) && day.getUTCMonth() === Number(match[2]) - 1;
}
