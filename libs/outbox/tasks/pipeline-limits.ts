// How far a queue claims ahead of its slots, and when it looks again.

/** How many tasks a key that answers is given for each slot that it has: those under way, and the next ones. */
export const AHEAD = 3;
/** Tasks are claimed ahead for so long: what is at hand knows nothing of what has changed since. */
export const AHEAD_MS = 30;
/** Outcomes that may wait to be written, for each slot, before nothing more is claimed. */
const UNWRITTEN = 4;
/** Under load, tasks are claimed once this fraction of the slots is free, not one by one. */
export const CLAIM_SHARE = 2;
export const LINGER_MS = 5;
/** Until another look, while claimed tasks wait for a slot. */
export const WATCH_MS = 100;
/** Until another look, where other workers held all that was due. */
export const CONTENDED_MS = 20;

/**
 * The tasks that a queue has claimed. `soon`: how many tasks begin while those that are claimed ahead wait for a slot.
 */
interface InHand {
  readonly held: number;
  readonly waiting: { readonly size: number; readonly loadingSize: number };
  readonly soon: number;
}

/**
 * How many tasks may be claimed: for the slots, ahead of them, and as long as their outcomes get written. What is loaded
 * and still waits could not be begun, because its key has no slot: it needs none of those that are free.
 */
export function roomFor(
  total: number,
  { free, running }: { readonly free: number; readonly running: number },
  { held, waiting: { size, loadingSize }, soon }: InHand,
): number {
  if (held - running - size > total * UNWRITTEN) return 0;
  const ahead = Math.min(total * (AHEAD - 1), soon);
  return free - loadingSize + Math.max(0, ahead - (size - loadingSize));
}
