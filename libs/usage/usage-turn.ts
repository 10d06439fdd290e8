import type { SqlTransaction } from '#core';

// Transactions of one organization mostly write the same rollup rows. They queue up once, here, instead of at every
// row: waiting at rows costs PostgreSQL a new look at each of them, and leaves row versions behind that nobody can
// clear away. The lock ends with the transaction. It is a statement of its own so that the next one sees what the
// transaction before has committed.
// As text: some drivers of hosts cannot read the type void.
const TAKE_TURN = `select pg_advisory_xact_lock(hashtextextended('governance.usage_rollups:' || $1, 0))::text`;

/**
 * Takes the organization's turn at writing usage, until the transaction ends: whoever holds it sees all usage that
 * counts, and none is added meanwhile.
 */
export async function takeTurn(tx: SqlTransaction, orgId: string): Promise<void> {
  await tx.query(TAKE_TURN, [orgId]);
}
