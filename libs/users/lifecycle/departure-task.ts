import type { NewTask } from '#outbox';

/** Queue of planned offboardings. */
export const DEPARTURE_QUEUE = 'offboarding';

/**
 * The task that offboards a user. Its id is the user's id, so a user has at most one. Its key is the organization:
 * workers process the tasks of one key one after another.
 */
export function departureTask({ id, orgId }: { id: string; orgId: string }): NewTask {
  return { id, queue: DEPARTURE_QUEUE, key: orgId, payload: {} };
}
