/** The IANA name of a time zone as it is usually written, or undefined if there is no such zone. */
export function knownTimeZone(name: unknown): string | undefined {
  // Intl accepts offsets such as +01:00, but they have no daylight saving time.
  if (typeof name !== 'string' || !/^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/.test(name)) return undefined;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}
