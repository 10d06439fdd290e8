import type { SqlTransaction } from '#core';
import { SCHEMA } from '#database';
import type { AuditHead } from './audit-chain.js';

/** Action of the entry that names the last pruned row. */
export const PRUNED = 'audit_log.pruned';

// Each pruning appends its entry at the end of the log and deletes rows from the beginning. The newest pruning entry is
// therefore never deleted.
const START = `
select after::text as after from ${SCHEMA}.audit_log
where org_id = $1 and resource_type = 'audit_log' and resource_id = $1::text and action = '${PRUNED}'
order by seq desc limit 1`;

const HASH = /^[0-9a-f]{64}$/;

/** The last pruned row, as recorded in the log; undefined if no row was pruned. */
export async function readStart(tx: SqlTransaction, orgId: string): Promise<AuditHead | undefined> {
  const [row] = await tx.query<{ after: string | null }>(START, [orgId]);
  const { seq, hash } = Object(JSON.parse(row?.after ?? 'null'));
  // The entry is malformed if someone wrote it without the app. The check then reports a break at this entry.
  if (!Number.isSafeInteger(seq) || typeof hash !== 'string' || !HASH.test(hash)) return undefined;
  return { seq, hash: Buffer.from(hash, 'hex') };
}
