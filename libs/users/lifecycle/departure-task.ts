import type { NewTask } from '#outbox';

/** Queue of planned offboardings. */
export const DEPARTURE_QUEUE = 'offboarding';

/**
 * The task that offboards a user. Its id is the user's id, so there is one per user. Its key is the organization,
 * because workers process one task per key at a time.
 */
export function departureTask({ id, orgId }: { id: string; orgId: string }): NewTask {
  return { id, queue: DEPARTURE_QUEUE, key: orgId, payload: {} };
}
