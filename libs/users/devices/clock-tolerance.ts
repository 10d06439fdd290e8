/**
 * Clocks of relying parties may be so far behind: what is signed for a device begins that much earlier, its certificate
 * and the list that says whether it was revoked alike. In milliseconds.
 */
export const CLOCK_TOLERANCE_MS = 5 * 60_000;
