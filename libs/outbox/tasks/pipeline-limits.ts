// How far a lane claims ahead of its slots, and when it looks again.

/** How many tasks a key that answers is given for each slot that it has: those under way, and the next ones. */
export const AHEAD = 3;
/** Tasks are claimed ahead for so long: what is at hand knows nothing of what has changed since. */
export const AHEAD_MS = 30;
/** Outcomes that may wait to be written, for each slot, before nothing more is claimed. */
export const UNWRITTEN = 4;
/** While much waits, tasks are claimed when there is room for a share of the slots, not one by one. */
export const CLAIM_SHARE = 2;
export const LINGER_MS = 5;
/** Until another look, while claimed tasks wait for a slot. */
export const WATCH_MS = 100;
/** Until another look, where other workers held all that was due. */
export const CONTENDED_MS = 20;
