import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { SecretCipher, SecretUnreadableError, type SecretPlace } from '#core';
import { plainArray, prepared, sqlOf, textArray } from '#database';
import { normalPlace } from './place.js';

interface StoredSecret {
  key_id: string;
  ciphertext: Buffer;
}

const PUT = `
insert into governance.secrets (org_id, owner, owner_id, name, key_id, ciphertext) values ($1, $2, $3, $4, $5, $6)
on conflict (org_id, owner, owner_id, name) do update set key_id = excluded.key_id, ciphertext = excluded.ciphertext`;

const AT_PLACE = 'org_id = $1 and owner = $2 and owner_id = $3 and name = $4';

const GET_MANY = prepared(
  'get_secrets',
  `
select s.key_id, s.ciphertext
from unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[]) with ordinality as p (org_id, owner, owner_id, name, nth)
left join governance.secrets s using (org_id, owner, owner_id, name)
order by p.nth`,
);

/**
 * Stores encrypted secrets, each identified by its place. All methods work in the caller's transaction, which must
 * belong to the organization of the place. Secrets of other organizations are invisible.
 */
@Injectable()
export class SecretVault {
  constructor(private readonly cipher: SecretCipher) {}

  /** Stores a secret and replaces the previous one. */
  async put(em: EntityManager, place: SecretPlace, plaintext: string): Promise<void> {
    const at = normalPlace(place);
    const { keyId, ciphertext } = await this.cipher.encrypt(plaintext, at);
    await sqlOf(em).query(PUT, [...columnsOf(at), keyId, ciphertext]);
  }

  /**
   * The secret; undefined if there is none at this place.
   * @throws SecretUnreadableError
   */
  async get(em: EntityManager, place: SecretPlace): Promise<string | undefined> {
    const [secret] = await this.getMany(em, [place]);
    if (secret instanceof SecretUnreadableError) throw secret;
    return secret;
  }

  /**
   * The secrets in the order of their places, read in one statement; undefined for a place without a secret. For an
   * unreadable secret, the result contains its error, so that other secrets stay available.
   */
  async getMany(
    em: EntityManager,
    places: readonly SecretPlace[],
  ): Promise<(string | undefined | SecretUnreadableError)[]> {
    if (places.length === 0) return [];
    const at = places.map(normalPlace);
    const rows = await sqlOf(em).query<Partial<StoredSecret>>(GET_MANY, [
      plainArray(at, place => place.orgId),
      textArray(at, place => place.owner),
      plainArray(at, place => place.ownerId),
      textArray(at, place => place.name),
    ]);
    return Promise.all(at.map((place, nth) => this.open(rows[nth], place)));
  }

  /**
   * Renames a secret of an owner, and replaces a secret that already has the new name. The secret is encrypted again,
   * because it is bound to its name. Returns whether the secret existed.
   * @throws SecretUnreadableError
   */
  async move(em: EntityManager, place: SecretPlace, newName: string): Promise<boolean> {
    const at = normalPlace(place);
    const select = `select key_id, ciphertext from governance.secrets where ${AT_PLACE} for update`;
    const [row] = await sqlOf(em).query<StoredSecret>(select, columnsOf(at));
    if (!row) return false;
    if (newName === at.name) return true;
    const plaintext = await this.cipher.decrypt({ keyId: row.key_id, ciphertext: row.ciphertext }, at);
    await this.put(em, { ...at, name: newName }, plaintext);
    await this.delete(em, at);
    return true;
  }

  /** Removes a secret, if it exists. */
  async delete(em: EntityManager, place: SecretPlace): Promise<void> {
    await sqlOf(em).query(`delete from governance.secrets where ${AT_PLACE}`, columnsOf(normalPlace(place)));
  }

  /** Removes all secrets of an owner. Call it when the owner's row is deleted. */
  async deleteAll(em: EntityManager, orgId: string, owner: string, ownerId: string): Promise<void> {
    const sql = 'delete from governance.secrets where org_id = $1 and owner = $2 and owner_id = $3';
    await sqlOf(em).query(sql, [orgId, owner, ownerId]);
  }

  private async open(
    row: Partial<StoredSecret> | undefined,
    place: SecretPlace,
  ): Promise<string | undefined | SecretUnreadableError> {
    if (!row?.key_id || !row.ciphertext) return undefined;
    try {
      return await this.cipher.decrypt({ keyId: row.key_id, ciphertext: row.ciphertext }, place);
    } catch (error) {
      if (error instanceof SecretUnreadableError) return error;
      throw error;
    }
  }
}

function columnsOf({ orgId, owner, ownerId, name }: SecretPlace): string[] {
  return [orgId, owner, ownerId, name];
}
