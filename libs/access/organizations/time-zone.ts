/** The canonical IANA name of a time zone; undefined if it does not exist. */
export function knownTimeZone(name: unknown): string | undefined {
  // Intl also accepts offsets such as +01:00. They have no daylight saving time, so they are refused here.
  if (typeof name !== 'string' || !/^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/.test(name)) return undefined;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}
