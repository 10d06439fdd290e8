/**
 * Tolerated clock skew of relying parties in milliseconds. Certificates and revocation lists become valid this much
 * before they are signed.
 */
export const CLOCK_TOLERANCE_MS = 5 * 60_000;
