/** Delays before attempts 1 to 5, in milliseconds, counted from the end of the failed attempt. */
export const RETRY_DELAYS_MS = [0, 1000, 5000, 30_000, 300_000] as const;

/** How many attempts the schedule makes. */
export const MAX_ATTEMPTS = RETRY_DELAYS_MS.length;

/** Why an attempt is made: `schedule` by itself; the others because somebody asked for one more after all had failed. */
export type AttemptTrigger = 'schedule' | 'manual' | 'recovery';

/** An attempt that has ended. */
export interface EndedAttempt {
  /** 1 is the first. */
  number: number;
  trigger: AttemptTrigger;
  /** Whether the headers of a 2xx answer came in time. */
  succeeded: boolean;
}

/** What an attempt's end makes of its delivery. */
export type AttemptOutcome = 'delivered' | 'failed' | { retryAfterMs: number };

/** What is waited before an attempt, in milliseconds. @throws RangeError for an attempt that the schedule does not make. */
export function delayBefore(attempt: number): number {
  const delay = RETRY_DELAYS_MS[attempt - 1];
  if (delay === undefined) throw new RangeError(`The schedule makes attempts 1 to ${MAX_ATTEMPTS}, not ${attempt}`);
  return delay;
}

/** What follows an attempt. Only scheduled attempts are retried; one that a person asked for is not. */
export function outcomeOf({ number, trigger, succeeded }: EndedAttempt): AttemptOutcome {
  if (succeeded) return 'delivered';
  if (trigger !== 'schedule' || number >= MAX_ATTEMPTS) return 'failed';
  return { retryAfterMs: delayBefore(number + 1) };
}
