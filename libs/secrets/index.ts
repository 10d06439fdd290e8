// Encryption of stored secrets: with the keyring, bound to their places, and repeated after a key rotation.
export { EnvelopeCipher } from './envelope-cipher.js';
export { CHANGED_REMEDY, KeyChecks } from './key-checks.js';
export { SecretKeys } from './secret-keys.js';
export { SecretRewrapper, type RewrapReport, type UnreadableSecret } from './secret-rewrapper.js';
export { SecretVault } from './secret-vault.js';
export { SecretsModule } from './secrets.module.js';
