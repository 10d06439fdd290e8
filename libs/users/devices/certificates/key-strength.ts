import { createPublicKey, type KeyObject } from 'node:crypto';
import { modulusDefect } from './rsa-modulus.js';

const RSA_MIN_BITS = 2_048;
const RSA_MAX_BITS = 8_192;
/**
 * Minimum exponent of an RSA key: above 2^16 (FIPS 186-5, section A.1.1). With a small exponent, a faulty padding
 * allows attacks.
 */
const RSA_MIN_EXPONENT = 65_537n;
/** The curves NIST P-256, P-384 and P-521, by their names in OpenSSL. */
const CURVES = new Set(['prime256v1', 'secp384r1', 'secp521r1']);
/**
 * Length of the SubjectPublicKeyInfo of a P-521 key that names its curve. A longer one states the parameters of the
 * curve.
 */
const NAMED_CURVE_MAX_LENGTH = 158;
const ACCEPTED = 'RSA of 2,048 to 8,192 bits, EC on P-256, P-384 or P-521, and Ed25519 are accepted';

/** Parses a SubjectPublicKeyInfo; undefined for an unknown key. */
export function publicKeyOf(spki: Buffer): KeyObject | undefined {
  try {
    return createPublicKey({ key: spki, format: 'der', type: 'spki' });
  } catch {
    return undefined;
  }
}

/** Returns why a device may not use a public key, or undefined if it may. */
export async function keyDefect(key: KeyObject): Promise<string | undefined> {
  const { asymmetricKeyType: kind = 'unknown' } = key;
  if (kind === 'rsa') return rsaDefect(key);
  if (kind === 'ec') return curveDefect(key);
  return kind === 'ed25519' ? undefined : `has a key of the kind ${kind}; ${ACCEPTED}`;
}

async function rsaDefect(key: KeyObject): Promise<string | undefined> {
  const { modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {};
  if (modulusLength < RSA_MIN_BITS) return `has an RSA key of ${modulusLength} bits, which is too weak; ${ACCEPTED}`;
  if (modulusLength > RSA_MAX_BITS) return `has an RSA key of ${modulusLength} bits; ${ACCEPTED}`;
  if (publicExponent < RSA_MIN_EXPONENT) {
    return `has an RSA key with the exponent ${publicExponent}, which is too weak; take 65537`;
  }
  if (publicExponent % 2n === 0n) return 'has an RSA key with an even exponent; take 65537';
  const { n = '' } = key.export({ format: 'jwk' });
  const defect = await modulusDefect(BigInt(`0x${Buffer.from(n, 'base64url').toString('hex')}`));
  return (
    defect && `has an RSA key whose modulus ${defect}, so that everybody can compute its private key; make a new key`
  );
}

function curveDefect(key: KeyObject): string | undefined {
  const { namedCurve = 'an unnamed curve' } = key.asymmetricKeyDetails ?? {};
  if (!CURVES.has(namedCurve)) return `has an EC key on ${namedCurve}; ${ACCEPTED}`;
  // RFC 5480, section 2.1.1, forbids explicit curve parameters, and many verifiers cannot read them.
  return key.export({ type: 'spki', format: 'der' }).length > NAMED_CURVE_MAX_LENGTH
    ? 'has an EC key whose curve is written out in numbers; make one that names its curve'
    : undefined;
}
