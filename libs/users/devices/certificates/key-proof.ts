import { verify } from 'node:crypto';
import { publicKeyOf } from './key-strength.js';

/** Longest proof in base64: a signature by an RSA key of 8,192 bits. */
export const PROOF_MAX_LENGTH = 1_368;

/**
 * Whether a message was signed by the private key of a public one (SubjectPublicKeyInfo): with SHA-256 by RSA
 * (PKCS #1 v1.5) and EC keys (ECDSA in DER), as `openssl dgst -sha256 -sign` does, and plainly by Ed25519.
 */
export function isSignedBy(spki: Buffer, message: Buffer, signature: Buffer): boolean {
  const key = publicKeyOf(spki);
  if (!key) return false;
  return verify(key.asymmetricKeyType === 'ed25519' ? null : 'sha256', message, key, signature);
}
