/** A platform's time of a change. A time in the future counts as now, so that a fast clock does not block later reports. */
export function notAfter(now: Date, at: Date): Date {
  return at < now ? at : now;
}
