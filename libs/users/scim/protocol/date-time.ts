const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?$/;
/** The instants that JavaScript and PostgreSQL both write with four digits: from the year 1 to the end of 9999. */
const [FIRST_MS, END_MS] = [-62_135_596_800_000, 253_402_300_800_000];

/**
 * A `dateTime` of RFC 7643, section 2.3.5, as an instant in UTC; undefined where a text is none, or lies outside of the
 * years 1 to 9999. One without a time zone is in UTC.
 */
export function instantOf(text: string): string | undefined {
  const [, day = '', zone] = DATE_TIME.exec(text) ?? [];
  if (!isDay(day)) return undefined;
  const at = Date.parse(zone === undefined ? `${text}Z` : text);
  return at >= FIRST_MS && at < END_MS ? new Date(at).toISOString() : undefined;
}

/** JavaScript takes 30 February for 2 March. */
function isDay(day: string): boolean {
  const at = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day);
}
