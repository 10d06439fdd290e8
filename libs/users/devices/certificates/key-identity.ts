import { createHash, createPublicKey, type KeyObject } from 'node:crypto';

/** A public key in canonical form, in which it is stored, compared and certified. */
export interface KeyIdentity {
  /**
   * SubjectPublicKeyInfo in DER. The point of an EC key is uncompressed, which every implementation supports (RFC 5480,
   * section 2.2).
   */
  readonly spki: Buffer;
  /** SHA-256 over the data that all public keys of one private key share. */
  readonly fingerprint: Buffer;
}

/**
 * Fingerprint of a public key, independent of its encoding. For EC keys it covers the curve and the x coordinate,
 * because a key has three encodings and its owner also has the key of the mirrored point. For RSA keys it covers only
 * the modulus, because its factors give a private key for every exponent.
 */
export function keyIdentity(key: KeyObject): KeyIdentity {
  const jwk = key.export({ format: 'jwk' });
  const { kty, crv, x, n } = jwk;
  return {
    spki: createPublicKey({ key: jwk, format: 'jwk' }).export({ type: 'spki', format: 'der' }),
    fingerprint: createHash('sha256')
      .update(JSON.stringify([kty, crv, x, n]))
      .digest(),
  };
}
