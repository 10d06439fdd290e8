import { Injectable } from '@nestjs/common';
import { SecretCipher } from '#core';
import { OrgDatabase, SCHEMA } from '#database';

/** Compares the keys of stored secrets with the configured keys. */
@Injectable()
export class SecretKeys {
  constructor(
    private readonly database: OrgDatabase,
    private readonly cipher: SecretCipher,
  ) {}

  /**
   * Call it at boot. If a required key is missing, the app would otherwise fail later, at the first use of a secret.
   * @throws Error that names the key ids and what to do
   */
  async assertKeysKnown(): Promise<void> {
    const missing = await this.missing();
    if (missing.length === 0) return;
    throw new Error(
      `keys: stored secrets are sealed under ${quoted(missing)}, which cannot be read here; at hand: ` +
        `${quoted(this.cipher.keyIds)}. Put the missing key back into GOVERNANCE_KEYS (the option "keys"), behind the ` +
        'one that writes, and run "nest-llm-governance rewrap" before it is removed. Where it is lost for good, the ' +
        'secrets under it are too: "Rotating keys" in docs/operate.md says how to go on.',
    );
  }

  /** Ids of missing keys that stored secrets require. */
  async missing(): Promise<string[]> {
    return (await this.inUse()).filter(id => !this.cipher.keyIds.includes(id));
  }

  /** Ids of keys other than the current one that stored secrets still use. These keys may be missing. */
  async old(): Promise<string[]> {
    return (await this.inUse()).filter(id => id !== this.cipher.keyIds[0]);
  }

  private async inUse(): Promise<string[]> {
    const rows = await this.database.global<{ id: string }>(`select id from ${SCHEMA}.secret_key_ids() as id`);
    return rows.map(row => row.id);
  }
}

function quoted(ids: readonly string[]): string {
  return ids.map(id => `"${id}"`).join(', ');
}
