import { createHash } from 'node:crypto';
import type { SqlTransaction } from '#core';
import { SCHEMA } from '#database';
import type { ChainBreak, ChainedRow } from './audit-chain.js';

/** Action of the entry that lists the rows changed by an erasure. */
export const REDACTED = 'audit_log.redacted';

/** A row whose content was changed by an erasure. */
export interface Redaction {
  readonly seq: number;
  /** Commitment of the new content. */
  readonly commitment: Buffer;
}

/** Hexadecimal SHA-256 of the rows that one entry lists, in the order of their numbers. */
export function digestOf(redactions: readonly Redaction[]): string {
  const hash = createHash('sha256');
  for (const { seq, commitment } of redactions) hash.update(`${seq}:${commitment.toString('hex')}\n`);
  return hash.digest('hex');
}

const OF_RECORD = `
select seq::float8 as seq, commitment from ${SCHEMA}.audit_redactions
where org_id = $1 and redacted_by = $2 order by seq`;

// Finds rows with new content that no entry lists. Without this check, anyone could replace the content of a row
// unnoticed.
const UNRECORDED = `
select r.seq::float8 as seq from ${SCHEMA}.audit_redactions r
where r.org_id = $1 and not exists (
  select from ${SCHEMA}.audit_log a where a.org_id = r.org_id and a.seq = r.redacted_by and a.action = '${REDACTED}')
order by r.seq limit 1`;

/** Returns the break if an erasure's entry does not match the changes in the database. */
export async function faultOfRecord(tx: SqlTransaction, row: ChainedRow): Promise<ChainBreak | undefined> {
  const digest = digestOf(await tx.query<Redaction>(OF_RECORD, [row.org_id, row.seq]));
  if (Object(JSON.parse(row.after ?? 'null')).digest === digest) return undefined;
  return { seq: row.seq, reason: `the rows that row ${row.seq} erased a person from are not those in the database` };
}

/** The first row whose content was replaced without an entry. */
export async function unrecordedRedaction(tx: SqlTransaction, orgId: string): Promise<ChainBreak | undefined> {
  const [row] = await tx.query<{ seq: number }>(UNRECORDED, [orgId]);
  return row && { seq: row.seq, reason: `row ${row.seq} was altered: no row records the erasure` };
}
