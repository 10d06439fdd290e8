import { Temporal } from 'temporal-polyfill';

const DATE_TIME =
  /^\d{4}-\d{2}-\d{2}T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?$/;
/** The instants that JavaScript and PostgreSQL both write with four digits: from the year 1 to the end of 9999. */
const [FIRST_MS, END_MS] = [-62_135_596_800_000, 253_402_300_800_000];

/**
 * A `dateTime` of RFC 7643, section 2.3.5, as an instant in UTC; undefined where a text is none, or lies outside of the
 * years 1 to 9999. One without a time zone is in UTC.
 */
export function instantOf(text: string): string | undefined {
  const match = DATE_TIME.exec(text);
  if (!match) return undefined;
  try {
    const { epochMilliseconds: at } = Temporal.Instant.from(match[1] === undefined ? `${text}Z` : text);
    return at >= FIRST_MS && at < END_MS ? new Date(at).toISOString() : undefined;
  } catch {
    // There is no 30 February.
    return undefined;
  }
}
