import type { SealedSecret, SecretPlace, SqlTransaction } from '#core';
import { bytesArray, plainArray, textArray } from '#database';

/** A stored secret with its place. */
export interface PlacedSecret {
  place: SecretPlace;
  sealed: SealedSecret;
}

/** A secret before and after a rewrap. */
export interface RewrappedSecret extends PlacedSecret {
  rewrapped: SealedSecret;
}

interface Row {
  owner: string;
  owner_id: string;
  name: string;
  key_id: string;
  ciphertext: Buffer;
}

const NIL = '00000000-0000-0000-0000-000000000000';

const NEXT = `
select owner, owner_id, name, key_id, ciphertext from governance.secrets
where org_id = $1 and key_id <> $2 and (owner, owner_id, name) > ($3, $4, $5)
order by owner, owner_id, name limit $6`;

// Skips locked rows instead of waiting for them, to avoid deadlocks.
const REPLACE = `
with given as (
  select * from unnest($2::text[], $3::uuid[], $4::text[], $5::text[], $6::bytea[], $7::text[], $8::bytea[])
    as g (owner, owner_id, name, old_key_id, old_ciphertext, key_id, ciphertext)),
unchanged as (
  select s.owner, s.owner_id, s.name, g.key_id, g.ciphertext
  from governance.secrets s join given g using (owner, owner_id, name)
  where s.org_id = $1 and s.key_id = g.old_key_id and s.ciphertext = g.old_ciphertext
  for update of s skip locked)
update governance.secrets s set key_id = u.key_id, ciphertext = u.ciphertext
from unchanged u
where s.org_id = $1 and s.owner = u.owner and s.owner_id = u.owner_id and s.name = u.name
returning s.name`;

/**
 * Secrets of an organization that are not encrypted with the current key, in the order of their places, starting after
 * a given place.
 */
export async function nextUnderOldKeys(
  tx: SqlTransaction,
  orgId: string,
  writingKeyId: string,
  after: SecretPlace | undefined,
  limit: number,
): Promise<PlacedSecret[]> {
  const from = [after?.owner ?? '', after?.ownerId ?? NIL, after?.name ?? ''];
  const rows = await tx.query<Row>(NEXT, [orgId, writingKeyId, ...from, limit]);
  return rows.map(row => ({
    place: { orgId, owner: row.owner, ownerId: row.owner_id, name: row.name },
    sealed: { keyId: row.key_id, ciphertext: row.ciphertext },
  }));
}

/**
 * Stores rewrapped secrets. If a secret has changed since it was read, it is skipped. Returns the number of stored
 * secrets.
 */
export async function replaceUnchanged(
  tx: SqlTransaction,
  orgId: string,
  secrets: readonly RewrappedSecret[],
): Promise<number> {
  const rows = await tx.query(REPLACE, [
    orgId,
    textArray(secrets, ({ place }) => place.owner),
    plainArray(secrets, ({ place }) => place.ownerId),
    textArray(secrets, ({ place }) => place.name),
    textArray(secrets, ({ sealed }) => sealed.keyId),
    bytesArray(secrets, ({ sealed }) => sealed.ciphertext.toString('hex')),
    textArray(secrets, ({ rewrapped }) => rewrapped.keyId),
    bytesArray(secrets, ({ rewrapped }) => rewrapped.ciphertext.toString('hex')),
  ]);
  return rows.length;
}

/** Number of an organization's secrets that are not encrypted with the current key. */
export async function countUnderOldKeys(tx: SqlTransaction, orgId: string, writingKeyId: string): Promise<number> {
  const sql = 'select count(*)::int as count from governance.secrets where org_id = $1 and key_id <> $2';
  const [row] = await tx.query<{ count: number }>(sql, [orgId, writingKeyId]);
  return row?.count ?? 0;
}
