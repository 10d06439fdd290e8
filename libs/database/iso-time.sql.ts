/** An SQL expression for a time in ISO 8601, UTC, with milliseconds; null stays null. */
export function isoTime(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}
