import { createSecretKey, randomBytes, type KeyObject } from 'node:crypto';

const PREFIX = 'whsec_';

/**
 * A new secret, to be shown once: `whsec_` and the base64 of 32 random bytes. This form serves two signatures: the
 * service's own takes the text as it is, Standard Webhooks the bytes behind the prefix.
 */
export function newSigningSecret(random: Uint8Array = randomBytes(32)): string {
  return PREFIX + Buffer.from(random).toString('base64');
}

const REMEMBERED = 1_000;
const keys = new Map<string, KeyObject>();

/**
 * The key of the bytes behind the prefix. Making one takes longer than signing with it, so the last thousand are kept.
 * @throws TypeError where the prefix or the bytes are missing; it never shows the secret.
 */
export function signingKey(secret: string): KeyObject {
  const known = keys.get(secret);
  if (known) return known;
  const bytes = Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : '', 'base64');
  if (bytes.length === 0) throw new TypeError(`A signing secret is ${PREFIX} followed by base64`);
  const key = createSecretKey(bytes);
  const [oldest] = keys.keys();
  if (keys.size >= REMEMBERED && oldest !== undefined) keys.delete(oldest);
  keys.set(secret, key);
  return key;
}
