import { createHash, createPublicKey, type KeyObject } from 'node:crypto';

/** A public key in the one form that it is stored, compared and certified in. */
export interface KeyIdentity {
  /** SubjectPublicKeyInfo in DER; the point of an EC key uncompressed, which everybody can read (RFC 5480, section 2.2). */
  readonly spki: Buffer;
  /** SHA-256 of what all public keys of one private key have in common. */
  readonly fingerprint: Buffer;
}

/**
 * What a public key is known by, however it is written. One EC key can be written in three ways, and whoever has its
 * private key has that of the mirrored point, too: its curve and x coordinate count. Whoever knows the factors of an RSA
 * modulus can make a private key for every exponent: the modulus alone counts.
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
