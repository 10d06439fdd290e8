import { SecretCipher } from '#core';
import type { Feature } from '#database';
import { EnvelopeCipher } from './envelope.cipher.js';
import { SecretsMigration0150 } from './migrations/0150-secrets.migration.js';
import { SecretKeys } from './secret-keys.js';
import { SecretRewrapper } from './secret-rewrapper.js';
import { SecretVault } from './secret-vault.js';

/** The secrets library's part of the module. */
export const secretsFeature: Feature = {
  // A host that keeps its keys elsewhere provides another SecretCipher behind these.
  providers: [{ provide: SecretCipher, useClass: EnvelopeCipher }, SecretVault, SecretKeys, SecretRewrapper],
  controllers: [],
  entities: [],
  migrations: [{ name: '0150_secrets', class: SecretsMigration0150 }],
};
