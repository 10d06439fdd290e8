import type { EntityManager } from '@mikro-orm/postgresql';
import { sqlOf } from '#database';

const LOCK = {
  change: 'select pg_advisory_xact_lock(hashtextextended($1, 0))',
  use: 'select pg_advisory_xact_lock_shared(hashtextextended($1, 0))',
};

/**
 * Makes changes of one webhook wait for one another until the transaction ends, and what adds tasks to it (`use`) wait
 * for changes. It comes before any row: workers lock tasks, then deliveries, and never the webhook.
 */
export async function lockWebhook(em: EntityManager, id: string, mode: keyof typeof LOCK): Promise<void> {
  await sqlOf(em).query(LOCK[mode], [`governance webhook ${id}`]);
}

/** Makes registrations of one organization wait for one another, so that they can be counted. */
export async function lockRegistrations(em: EntityManager, orgId: string): Promise<void> {
  await sqlOf(em).query(LOCK.change, [`governance webhooks of ${orgId}`]);
}
