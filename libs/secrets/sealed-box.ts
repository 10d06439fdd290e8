import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

// AES-256-GCM with the parameters that NIST SP 800-38D recommends: a random 96-bit nonce and a 128-bit tag.
const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Number of bytes by which a box is longer than its content. */
export const BOX_OVERHEAD = NONCE_BYTES + TAG_BYTES;

/**
 * Encrypts with a 32-byte key. The result contains nonce, tag and ciphertext. It does not contain `binding`; the same
 * `binding` is required for decryption.
 */
export function sealBox(key: Buffer, binding: Buffer, content: Buffer): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES }).setAAD(binding);
  const encrypted = Buffer.concat([cipher.update(content), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]);
}

/**
 * The decrypted content. Undefined if the box or the binding was changed, or if the key is not the one that encrypted
 * the box.
 */
export function openBox(key: Buffer, binding: Buffer, box: Buffer): Buffer | undefined {
  if (box.length < BOX_OVERHEAD) return undefined;
  const decipher = createDecipheriv(ALGORITHM, key, box.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(binding)
    .setAuthTag(box.subarray(NONCE_BYTES, BOX_OVERHEAD));
  const content = decipher.update(box.subarray(BOX_OVERHEAD));
  try {
    return Buffer.concat([content, decipher.final()]);
  } catch {
    content.fill(0);
    return undefined;
  }
}
