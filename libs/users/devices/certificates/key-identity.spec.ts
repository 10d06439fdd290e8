import { createHash, createPublicKey, ECDH, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { keyIdentity } from './key-identity.js';

const CURVES = { 'P-256': 'prime256v1', 'P-384': 'secp384r1', 'P-521': 'secp521r1' } as const;

/** The same point of the curve in another encoding (SEC 1, section 2.3.3). */
function rewritten(key: KeyObject, curve: string, form: 'compressed' | 'hybrid'): KeyObject {
  const spki = key.export({ type: 'spki', format: 'der' });
  const algorithmAt = spki.indexOf(0x30, 1);
  const algorithm = spki.subarray(algorithmAt, algorithmAt + 2 + spki.readUInt8(algorithmAt + 1));
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  const point = Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
  const other = ECDH.convertKey(point, curve, undefined, undefined, form);
  const bits = value(0x03, Buffer.concat([Buffer.of(0), Buffer.from(other)]));
  return createPublicKey({ key: value(0x30, Buffer.concat([algorithm, bits])), format: 'der', type: 'spki' });
}

function value(tag: number, content: Buffer): Buffer {
  const length = content.length < 128 ? [content.length] : [0x81, content.length];
  return Buffer.concat([Buffer.of(tag, ...length), content]);
}

describe('the identity of a key', () => {
  it.each(Object.entries(CURVES))('is the same on %s, however its point is encoded', (namedCurve, curve) => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve });
    const plain = keyIdentity(publicKey);
    expect(plain.spki).toEqual(publicKey.export({ type: 'spki', format: 'der' }));
    for (const form of ['compressed', 'hybrid'] as const) {
      const other = rewritten(publicKey, curve, form);
      expect(other.export({ type: 'spki', format: 'der' })).not.toEqual(plain.spki);
      expect(keyIdentity(other)).toEqual(plain);
    }
  });

  it('is the same for the two points of one private key and its negative', () => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { y, ...jwk } = publicKey.export({ format: 'jwk' });
    const field = 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n;
    const mirrored = (field - BigInt(`0x${Buffer.from(y ?? '', 'base64url').toString('hex')}`)).toString(16);
    const other = { ...jwk, y: Buffer.from(mirrored.padStart(64, '0'), 'hex').toString('base64url') };
    const negative = createPublicKey({ key: other, format: 'jwk' });
    expect(keyIdentity(negative).fingerprint).toEqual(keyIdentity(publicKey).fingerprint);
    expect(keyIdentity(negative).spki).not.toEqual(keyIdentity(publicKey).spki);
  });

  it('is the same for an RSA modulus, whatever its exponent', () => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const other = createPublicKey({ key: { ...publicKey.export({ format: 'jwk' }), e: 'AQAD' }, format: 'jwk' });
    expect(keyIdentity(other).fingerprint).toEqual(keyIdentity(publicKey).fingerprint);
    expect(keyIdentity(other).spki).not.toEqual(keyIdentity(publicKey).spki);
  });

  it('differs for every other key', () => {
    const keys = [
      ...Object.keys(CURVES).flatMap(namedCurve => [1, 2].map(() => generateKeyPairSync('ec', { namedCurve }))),
      ...[1, 2].map(() => generateKeyPairSync('ed25519')),
      ...[1, 2].map(() => generateKeyPairSync('rsa', { modulusLength: 2048 })),
    ];
    const prints = keys.map(({ publicKey }) => keyIdentity(publicKey).fingerprint.toString('hex'));
    expect(new Set(prints).size).toBe(keys.length);
    expect(prints.every(print => print.length === createHash('sha256').digest('hex').length)).toBe(true);
  });
});
