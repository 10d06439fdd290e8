/** A time without its part of a second: certificates and revocation lists keep no more. */
export function wholeSeconds(time: Date | number): Date {
  return new Date(Math.floor(Number(time) / 1000) * 1000);
}
