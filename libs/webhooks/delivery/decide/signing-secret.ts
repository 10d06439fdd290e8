import { randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';

/**
 * A new secret, to be shown once: `whsec_` and the base64 of 32 random bytes. This form serves two signatures: the
 * service's own takes the text as it is, Standard Webhooks the bytes behind the prefix.
 */
export function newSigningSecret(random: Uint8Array = randomBytes(32)): string {
  return PREFIX + Buffer.from(random).toString('base64');
}

/** The bytes behind the prefix. @throws TypeError where the prefix or the bytes are missing; it never shows the secret. */
export function signingKeyBytes(secret: string): Buffer {
  const bytes = Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : '', 'base64');
  if (bytes.length === 0) throw new TypeError(`A signing secret is ${PREFIX} followed by base64`);
  return bytes;
}
