/**
 * The time of a change according to the platform. A time in the future is replaced by now, so that a platform with a
 * fast clock does not block later reports.
 */
export function notAfter(now: Date, at: Date): Date {
  return at < now ? at : now;
}
