import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Keyring } from '#core';
import { OrgDatabase, SCHEMA } from '#database';

/** Purpose for which check values are derived from the keyring. A check value reveals nothing about its key. */
const PURPOSE = 'check value';

const NOTE = `
insert into ${SCHEMA}.key_checks (key_id, value)
select id, value from unnest($1::text[], $2::bytea[]) as given (id, value) on conflict (key_id) do nothing`;

const READ = `select key_id as id, value from ${SCHEMA}.key_checks where key_id = any($1)`;

/**
 * Stores one check value per key id. It detects a key whose bytes differ from those that were used before with the same
 * id. Such a key would encrypt new secrets but could not decrypt old ones.
 */
@Injectable()
export class KeyChecks implements OnModuleInit {
  constructor(
    private readonly database: OrgDatabase,
    private readonly keyring: Keyring,
  ) {}

  /**
   * Stores the check values of new keys, and compares the check values of known keys.
   * @throws Error that names the key ids and what to do
   */
  async onModuleInit(): Promise<void> {
    const ids = this.keyring.keyIds;
    await this.database.global(NOTE, [ids, ids.map(id => this.valueOf(id))]);
    const changed = await this.changed();
    if (changed.length === 0) return;
    const named = changed.map(id => `"${id}"`).join(', ');
    throw new Error(`keys: other bytes than before are given under the id ${named}. ${CHANGED_REMEDY}`);
  }

  /** Ids of keys whose bytes differ from those that were used before with the same id. Read-only. */
  async changed(): Promise<string[]> {
    const rows = await this.database.global<{ id: string; value: Buffer }>(READ, [this.keyring.keyIds]);
    return rows.filter(({ id, value }) => !value.equals(this.valueOf(id))).map(({ id }) => id);
  }

  private valueOf(id: string): Buffer {
    const value = this.keyring.derive(id, PURPOSE);
    if (!value) throw new Error('keys: the keyring has no such key');
    return value;
  }
}

/** What to do if the bytes of a key have changed. */
export const CHANGED_REMEDY =
  'Put the former key back into GOVERNANCE_KEYS (the option "keys"; embedded: the file "keys" of the data folder). A new ' +
  'key needs an id that was never used. Where the former key is lost for good, "Rotating keys" in docs/operate.md says ' +
  'how to go on.';
