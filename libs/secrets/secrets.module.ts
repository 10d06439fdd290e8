import { Module } from '@nestjs/common';
import { SecretCipher } from '#core';
import type { Library } from '#database';
import { EnvelopeCipher } from './envelope-cipher.js';
import { KeyChecks } from './key-checks.js';
import { SecretsMigration0150 } from './migrations/0150-secrets.migration.js';
import { KeyChecksMigration0151 } from './migrations/0151-key-checks.migration.js';
import { SecretKeys } from './secret-keys.js';
import { SecretRewrapper } from './secret-rewrapper.js';
import { SecretVault } from './secret-vault.js';

/** Storage of encrypted secrets. */
@Module({})
export class SecretsModule {
  static readonly library: Library = {
    name: 'secrets',
    // A host with another key store replaces the SecretCipher. The providers below use the SecretCipher of the host or
    // the default.
    ports: [{ provide: SecretCipher, useClass: EnvelopeCipher }],
    providers: [SecretVault, SecretKeys, KeyChecks, SecretRewrapper],
    controllers: [],
    entities: [],
    migrations: [
      { name: '0150_secrets', class: SecretsMigration0150, tables: ['secrets'] },
      { name: '0151_key_checks', class: KeyChecksMigration0151, tables: ['key_checks'] },
    ],
    exports: [],
  };
}
