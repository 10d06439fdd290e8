/** Truncates a time to whole seconds, the precision of certificates and revocation lists. */
export function wholeSeconds(time: Date | number): Date {
  return new Date(Math.floor(Number(time) / 1000) * 1000);
}
