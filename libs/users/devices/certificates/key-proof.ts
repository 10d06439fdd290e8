import { verify } from 'node:crypto';
import { publicKeyOf } from './key-strength.js';

/** Maximum length of a proof in base64: a signature by an RSA key of 8,192 bits. */
export const PROOF_MAX_LENGTH = 1_368;

/**
 * Whether the private key of a public key (SubjectPublicKeyInfo) signed a message. RSA (PKCS #1 v1.5) and EC keys
 * (ECDSA in DER) use SHA-256, like `openssl dgst -sha256 -sign`; Ed25519 signs the message itself.
 */
export function isSignedBy(spki: Buffer, message: Buffer, signature: Buffer): boolean {
  const key = publicKeyOf(spki);
  if (!key) return false;
  return verify(key.asymmetricKeyType === 'ed25519' ? null : 'sha256', message, key, signature);
}
