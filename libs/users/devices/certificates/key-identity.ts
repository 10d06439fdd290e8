import { createHash, createPublicKey, type KeyObject } from 'node:crypto';

/** A public key in canonical form, in which it is stored, compared and certified. */
export interface KeyIdentity {
  /**
   * SubjectPublicKeyInfo in DER. The point of an EC key is uncompressed, which every implementation supports (RFC 5480,
   * section 2.2).
   */
  readonly spki: Buffer;
  /** SHA-256 of the data that is the same in all public keys of one private key. */
  readonly fingerprint: Buffer;
}

/**
 * Fingerprint of a public key, independent of its encoding. For an EC key, it covers the curve and the x coordinate:
 * the owner of a key also knows the private key of the point with the same x coordinate. For an RSA key, it covers only
 * the modulus: the owner knows its factors, which yield a private key for every exponent.
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
