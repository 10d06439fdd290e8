import type { SqlTransaction } from '#core';
import { plainArray, SCHEMA, textArray } from '#database';

/** A record to store until a sink has accepted it. */
export interface NewRecord {
  /** UUID version 7. It becomes the record's `metadata.uid`. */
  readonly id: string;
  readonly at: Date;
  /** A JSON object. */
  readonly data: object;
}

const PUT = `
insert into ${SCHEMA}.siem_records (org_id, id, kind, at, data)
select $1, r.id, $2, r.at, r.data from unnest($3::uuid[], $4::timestamptz[], $5::jsonb[]) as r (id, at, data)
on conflict (org_id, id) do nothing`;

/** Stores records in a transaction. If a record is already stored, it stays unchanged. */
export async function putRecords(
  tx: SqlTransaction,
  orgId: string,
  kind: 'security' | 'incident',
  records: readonly NewRecord[],
): Promise<void> {
  if (records.length === 0) return;
  await tx.query(PUT, [
    orgId,
    kind,
    plainArray(records, ({ id }) => id),
    plainArray(records, ({ at }) => at.toISOString()),
    // Characters are replaced that PostgreSQL cannot store: NUL and unpaired surrogates.
    textArray(records, ({ data }) => JSON.stringify(data, storable)),
  ]);
}

function storable(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\uFFFD') : value;
}
