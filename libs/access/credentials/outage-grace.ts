/**
 * How long credentials are believed from memory after the last news of revocations, in milliseconds. Counted from the
 * last moment at which the change feed was read, not from when a credential was last used.
 */
export const OUTAGE_GRACE_MS = 5 * 60 * 1000;
