import { createHash } from 'node:crypto';
import { Keyring, type SecretCipher } from '#core';
import { openOrm, OrgDatabase } from '#database';
import { EnvelopeCipher } from '../envelope-cipher.js';
import { SecretKeys } from '../secret-keys.js';
import { SecretRewrapper } from '../secret-rewrapper.js';
import { SecretVault } from '../secret-vault.js';

/** A keyring whose keys are derived from their ids. Keyrings with the same ids have the same keys. */
export function ringOf(...ids: string[]): Keyring {
  return new Keyring(ids.map(id => ({ id, key: createHash('sha256').update(id).digest() })));
}

/** A cipher with keys that have these ids. The first key encrypts. */
export function cipherOf(...ids: string[]): EnvelopeCipher {
  return new EnvelopeCipher(ringOf(...ids));
}

/** The services of this library in one replica, which has its own keyring. */
export interface SecretReplica {
  database: OrgDatabase;
  vault: SecretVault;
  keys: SecretKeys;
  rewrapper: SecretRewrapper;
}

/** Opens a migrated database for as many replicas as there are ciphers. */
export async function openSecretReplicas(
  url: string,
): Promise<{ database: OrgDatabase; replica(cipher: SecretCipher): SecretReplica; close(): Promise<void> }> {
  const database = new OrgDatabase(await openOrm({ url }, []));
  return {
    database,
    replica(cipher) {
      const keys = new SecretKeys(database, cipher);
      return { database, keys, vault: new SecretVault(cipher), rewrapper: new SecretRewrapper(database, cipher, keys) };
    },
    close: () => database.close(),
  };
}
