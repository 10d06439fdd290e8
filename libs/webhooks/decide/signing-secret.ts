import { createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';

const PREFIX = 'whsec_';

/**
 * Generates a secret: `whsec_` and the base64 of 32 random bytes. The secret is shown only once. The key of the
 * service's own signature is the whole text. The key of Standard Webhooks is the bytes after the prefix.
 */
export function newSigningSecret(random: Uint8Array = randomBytes(32)): string {
  return PREFIX + Buffer.from(random).toString('base64');
}

const CACHE_SIZE = 1_000;
const keys = new LRUCache<string, KeyObject>({ max: CACHE_SIZE, memoMethod: makeKey });

/**
 * The key object for the bytes after the prefix of a secret. The thousand most recent key objects are cached, because
 * creating one takes longer than signing.
 * @throws TypeError if the prefix or the bytes are missing; the message does not contain the secret
 */
export function signingKey(secret: string): KeyObject {
  return keys.memo(secret);
}

function makeKey(secret: string): KeyObject {
  const bytes = Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : '', 'base64');
  if (bytes.length === 0) throw new TypeError(`A signing secret is ${PREFIX} followed by base64`);
  return createSecretKey(bytes);
}
