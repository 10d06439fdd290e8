/** Lifetime of a session without input of a person, in milliseconds. */
export const IDLE_MS = 30 * 60_000;

/** Maximum lifetime of a session, in milliseconds. */
export const LIFETIME_MS = 12 * 60 * 60_000;

/**
 * Maximum delay of the stored time of the last input, in milliseconds. Without a delay, every request would cause a
 * write.
 */
export const INPUT_NOTED_EVERY_MS = 30_000;

/** Start, last input and latest end of a session. */
export interface SessionTimes {
  readonly createdAt: Date;
  readonly lastInputAt: Date;
  readonly expiresAt: Date;
}

/** Time at which a session ends if there is no further input. */
export function idleAt({ lastInputAt, expiresAt }: SessionTimes): Date {
  return new Date(Math.min(lastInputAt.getTime() + IDLE_MS, expiresAt.getTime()));
}

/** Whether a session has neither expired nor been idle for too long. */
export function isLive(times: SessionTimes, now: Date): boolean {
  return now < idleAt(times);
}
