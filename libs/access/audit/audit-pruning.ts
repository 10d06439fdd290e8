import type { SqlTransaction } from '#core';
import { SCHEMA } from '#database';
import type { AuditHead } from './audit-chain.js';

/** The action of the record that names the last row that was pruned. */
export const PRUNED = 'audit_log.pruned';

// Every pruning records itself later in the log than what it prunes, so the newest record is always there.
const START = `
select after::text as after from ${SCHEMA}.audit_log
where org_id = $1 and resource_type = 'audit_log' and resource_id = $1::text and action = '${PRUNED}'
order by seq desc limit 1`;

const HASH = /^[0-9a-f]{64}$/;

/** The last row that was pruned, as the log itself records it; undefined if none was. */
export async function readStart(tx: SqlTransaction, orgId: string): Promise<AuditHead | undefined> {
  const [row] = await tx.query<{ after: string | null }>(START, [orgId]);
  const { seq, hash } = Object(JSON.parse(row?.after ?? 'null'));
  // If the row was written without the app, the chain breaks there.
  if (!Number.isSafeInteger(seq) || typeof hash !== 'string' || !HASH.test(hash)) return undefined;
  return { seq, hash: Buffer.from(hash, 'hex') };
}
