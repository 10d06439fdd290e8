import type { NewTask } from '#outbox';

/** The lane of planned offboardings. */
export const DEPARTURE_LANE = 'offboarding';

/**
 * The task that offboards a user; it has the user's id, so that there is one per user, and the organization's as its key:
 * workers look at keys one by one.
 */
export function departureTask({ id, orgId }: { id: string; orgId: string }): NewTask {
  return { id, lane: DEPARTURE_LANE, key: orgId, subject: {} };
}
