/**
 * How long cached credentials are accepted during an outage, in milliseconds. The time counts from the last successful
 * poll of the change feed, not from the last use of the credential.
 */
export const OUTAGE_GRACE_MS = 5 * 60 * 1000;
