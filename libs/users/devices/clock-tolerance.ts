/**
 * Tolerated clock skew in milliseconds of programs that verify certificates. Certificates and revocation lists are
 * valid from this much before the time of their signature.
 */
export const CLOCK_TOLERANCE_MS = 5 * 60_000;
