import { createHash } from 'node:crypto';
import type { SqlTransaction } from '#core';
import { SCHEMA } from '#database';
import type { ChainBreak, ChainedRow } from './audit-chain.js';

/** The action of the record that says which rows an erasure has changed. */
export const REDACTED = 'audit_log.redacted';

/** A row whose content an erasure has changed. */
export interface Redaction {
  readonly seq: number;
  /** Of the new content. */
  readonly commitment: Buffer;
}

/** SHA-256 in hexadecimal over the rows that one record names, in the order of their numbers. */
export function digestOf(redactions: readonly Redaction[]): string {
  const hash = createHash('sha256');
  for (const { seq, commitment } of redactions) hash.update(`${seq}:${commitment.toString('hex')}\n`);
  return hash.digest('hex');
}

const OF_RECORD = `
select seq::float8 as seq, commitment from ${SCHEMA}.audit_redactions
where org_id = $1 and redacted_by = $2 order by seq`;

// Without its record, a redaction would let anybody replace the content of a row.
const UNRECORDED = `
select r.seq::float8 as seq from ${SCHEMA}.audit_redactions r
where r.org_id = $1 and not exists (
  select from ${SCHEMA}.audit_log a where a.org_id = r.org_id and a.seq = r.redacted_by and a.action = '${REDACTED}')
order by r.seq limit 1`;

/** The break at a row that records an erasure, if its changes are not those in the database. */
export async function faultOfRecord(tx: SqlTransaction, row: ChainedRow): Promise<ChainBreak | undefined> {
  const digest = digestOf(await tx.query<Redaction>(OF_RECORD, [row.org_id, row.seq]));
  if (Object(JSON.parse(row.after ?? 'null')).digest === digest) return undefined;
  return { seq: row.seq, reason: `the rows that row ${row.seq} erased a person from are not those in the database` };
}

/** The first row whose content was replaced without a record. */
export async function unrecordedRedaction(tx: SqlTransaction, orgId: string): Promise<ChainBreak | undefined> {
  const [row] = await tx.query<{ seq: number }>(UNRECORDED, [orgId]);
  return row && { seq: row.seq, reason: `row ${row.seq} was altered: no row records the erasure` };
}
