import type { SqlTransaction } from '#core';

// Transactions of one organization mostly write the same rollup rows. They wait once, for this lock, instead of at
// every row. After a wait at a row, PostgreSQL must read the row again, and row versions remain that vacuum cannot
// remove. The lock is released at the end of the transaction. The lock is a separate statement, so that the next
// statement sees what the previous holder has committed. The result is cast to text, because the drivers of some hosts
// cannot read the type void.
const LOCK = `select pg_advisory_xact_lock(hashtextextended('governance.usage_rollups:' || $1, 0))::text`;

/**
 * Takes the organization's usage lock until the transaction ends. The holder sees all usage counted so far, and no
 * other transaction can add usage meanwhile.
 */
export async function lockUsage(tx: SqlTransaction, orgId: string): Promise<void> {
  await tx.query(LOCK, [orgId]);
}
