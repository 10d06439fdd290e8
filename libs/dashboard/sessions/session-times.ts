/** How long a session lives without input of a person, in milliseconds. */
export const IDLE_MS = 30 * 60_000;

/** How long a session lives at most, in milliseconds. */
export const LIFETIME_MS = 12 * 60 * 60_000;

/** How far the noted time of the last input may be behind, in milliseconds: reading does not turn into writing. */
export const INPUT_NOTED_EVERY_MS = 30_000;

/** When a session began, had its last input, and ends at the latest. */
export interface SessionTimes {
  readonly createdAt: Date;
  readonly lastInputAt: Date;
  readonly expiresAt: Date;
}

/** When a session ends if no input comes. */
export function idleAt({ lastInputAt, expiresAt }: SessionTimes): Date {
  return new Date(Math.min(lastInputAt.getTime() + IDLE_MS, expiresAt.getTime()));
}

/** Whether a session that nobody has ended still holds. */
export function isLive(times: SessionTimes, now: Date): boolean {
  return now < idleAt(times);
}
