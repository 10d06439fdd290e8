/** How long a process may be silent before its open calls are recorded for it. It renews them every quarter minute. */
export const LEASE_MS = 60_000;

/**
 * How long the process that stored the end of a call has its usage to itself. Then any replica counts it: the event is
 * the same whoever records it, and counts once.
 */
export const END_LEASE_MS = 15_000;

/** A call that was covered last so long ago is not renewed any more: its stream was dropped without an end. */
export const IDLE_MAX_MS = 60 * 60_000;
