import type { NewTask } from '#outbox';

/** The queue of planned offboardings. */
export const DEPARTURE_QUEUE = 'offboarding';

/**
 * The task that offboards a user; it has the user's id, so that there is one per user, and the organization's as its key:
 * workers look at keys one by one.
 */
export function departureTask({ id, orgId }: { id: string; orgId: string }): NewTask {
  return { id, queue: DEPARTURE_QUEUE, key: orgId, subject: {} };
}
