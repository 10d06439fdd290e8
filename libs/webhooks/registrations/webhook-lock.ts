import type { EntityManager } from '@mikro-orm/postgresql';
import { sqlOf } from '#database';

const LOCK = {
  change: 'select pg_advisory_xact_lock(hashtextextended($1, 0))',
  use: 'select pg_advisory_xact_lock_shared(hashtextextended($1, 0))',
};

/**
 * Makes changes of one webhook wait for each other until the transaction ends. Code that adds tasks for the webhook
 * takes the lock in the mode `use`. It then waits for changes, but not for other holders of the mode `use`. Take this
 * lock before locking any row. Workers lock tasks first and then deliveries, and never take this lock.
 */
export async function lockWebhook(em: EntityManager, id: string, mode: keyof typeof LOCK): Promise<void> {
  await sqlOf(em).query(LOCK[mode], [`governance webhook ${id}`]);
}

/** Makes registrations of one organization wait for each other, so that their count is exact. */
export async function lockRegistrations(em: EntityManager, orgId: string): Promise<void> {
  await sqlOf(em).query(LOCK.change, [`governance webhooks of ${orgId}`]);
}
