// Secrets at rest: sealed under the keyring, bound to their place, brought under a new key.
export { EnvelopeCipher } from './envelope-cipher.js';
export { CHANGED_REMEDY, KeyChecks } from './key-checks.js';
export { SecretKeys } from './secret-keys.js';
export { SecretRewrapper, type RewrapReport, type UnreadableSecret } from './secret-rewrapper.js';
export { SecretVault } from './secret-vault.js';
export { SecretsModule } from './secrets.module.js';
