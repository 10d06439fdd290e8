import type { SqlTransaction } from '#core';

// Transactions of one organization mostly write the same rollup rows. They wait once, for this lock, instead of at
// every row. After a wait at a row, PostgreSQL must read the row again, and row versions remain that vacuum cannot
// remove. The lock ends with the transaction. It is a separate statement, so that the next statement sees the commit of
// the previous transaction. Cast to text, because some drivers of hosts cannot read the type void.
const LOCK = `select pg_advisory_xact_lock(hashtextextended('governance.usage_rollups:' || $1, 0))::text`;

/**
 * Takes the organization's usage lock until the transaction ends. The holder sees all counted usage, and no other
 * transaction adds usage meanwhile.
 */
export async function lockUsage(tx: SqlTransaction, orgId: string): Promise<void> {
  await tx.query(LOCK, [orgId]);
}
