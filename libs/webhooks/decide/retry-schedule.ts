/** Delays before attempts 1 to 5, in milliseconds, counted from the end of the failed attempt. */
export const RETRY_DELAYS_MS = [0, 1000, 5000, 30_000, 300_000] as const;

/** Number of scheduled attempts. */
export const MAX_ATTEMPTS = RETRY_DELAYS_MS.length;

/** The cause of an attempt: `schedule`, or a request for one more attempt after all scheduled attempts had failed. */
export type AttemptTrigger = 'schedule' | 'manual' | 'recovery';

/** A finished attempt. */
export interface EndedAttempt {
  /** Number of the attempt; the first attempt has number 1. */
  number: number;
  trigger: AttemptTrigger;
  /** Whether the headers of a 2xx answer arrived in time. */
  succeeded: boolean;
}

/** The status of a delivery after an attempt. */
export type AttemptOutcome = 'delivered' | 'failed' | { retryAfterMs: number };

/** The delay before an attempt in milliseconds. @throws RangeError for an attempt that is not in the schedule */
export function delayBefore(attempt: number): number {
  const delay = RETRY_DELAYS_MS[attempt - 1];
  if (delay === undefined) throw new RangeError(`The schedule makes attempts 1 to ${MAX_ATTEMPTS}, not ${attempt}`);
  return delay;
}

/** The status of a delivery after an attempt. A failed attempt is retried only if it was a scheduled one. */
export function outcomeOf({ number, trigger, succeeded }: EndedAttempt): AttemptOutcome {
  if (succeeded) return 'delivered';
  if (trigger !== 'schedule' || number >= MAX_ATTEMPTS) return 'failed';
  return { retryAfterMs: delayBefore(number + 1) };
}
