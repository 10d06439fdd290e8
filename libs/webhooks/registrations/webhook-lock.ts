import type { EntityManager } from '@mikro-orm/postgresql';
import { sqlOf } from '#database';

const LOCK = {
  change: 'select pg_advisory_xact_lock(hashtextextended($1, 0))',
  use: 'select pg_advisory_xact_lock_shared(hashtextextended($1, 0))',
};

/**
 * Serializes changes of one webhook until the transaction ends. Code that adds tasks to the webhook takes the lock with
 * `use`. It then waits for changes, but not for other holders of `use`. Take the lock before any row; workers lock
 * tasks, then deliveries, and never the webhook.
 */
export async function lockWebhook(em: EntityManager, id: string, mode: keyof typeof LOCK): Promise<void> {
  await sqlOf(em).query(LOCK[mode], [`governance webhook ${id}`]);
}

/** Serializes registrations of one organization, so that their count is exact. */
export async function lockRegistrations(em: EntityManager, orgId: string): Promise<void> {
  await sqlOf(em).query(LOCK.change, [`governance webhooks of ${orgId}`]);
}
