import { createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';

const PREFIX = 'whsec_';

/**
 * A new secret, to be shown once: `whsec_` and the base64 of 32 random bytes. This form serves two signatures: the
 * service's own takes the text as it is, Standard Webhooks the bytes behind the prefix.
 */
export function newSigningSecret(random: Uint8Array = randomBytes(32)): string {
  return PREFIX + Buffer.from(random).toString('base64');
}

const REMEMBERED = 1_000;
const keys = new LRUCache<string, KeyObject>({ max: REMEMBERED, memoMethod: makeKey });

/**
 * The key of the bytes behind the prefix. Making one takes longer than signing with it, so the last thousand are kept.
 * @throws TypeError where the prefix or the bytes are missing; it never shows the secret.
 */
export function signingKey(secret: string): KeyObject {
  return keys.memo(secret);
}

function makeKey(secret: string): KeyObject {
  const bytes = Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : '', 'base64');
  if (bytes.length === 0) throw new TypeError(`A signing secret is ${PREFIX} followed by base64`);
  return createSecretKey(bytes);
}
