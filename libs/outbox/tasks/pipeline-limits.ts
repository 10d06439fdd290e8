// Constants that determine how many tasks a queue claims before slots are free, and when it claims again.

/** Maximum number of claimed tasks per slot, both running and waiting ones. Applies to keys whose tasks do not hang. */
export const AHEAD = 3;
/**
 * Tasks are claimed at most this many milliseconds before they start, because a claimed task does not see later
 * changes.
 */
export const AHEAD_MS = 30;
/** If there are more unwritten outcomes per slot than this, no more tasks are claimed. */
const UNWRITTEN = 4;
/** Under load, a claim waits until 1 / CLAIM_SHARE of the slots are free, so that it claims several tasks at once. */
export const CLAIM_SHARE = 2;
export const LINGER_MS = 5;
/** Delay of the next claim in milliseconds while claimed tasks wait for a slot. */
export const WATCH_MS = 100;
/** Delay of the next claim in milliseconds if other workers had locked all due tasks. */
export const CONTENDED_MS = 20;

/** The claimed tasks of a queue. `soon` is the number of tasks that are expected to end within {@link AHEAD_MS}. */
interface InHand {
  readonly held: number;
  readonly waiting: { readonly size: number; readonly loadingSize: number };
  readonly soon: number;
}

/**
 * Number of tasks that may be claimed: for the free slots, and in advance as long as outcomes are written in time. A
 * loaded task waits because its key has no free slot. It therefore does not count against the free slots of the queue.
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
