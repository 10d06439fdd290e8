import { generateKeyPairSync, getDiffieHellman } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { modulusDefect } from './rsa-modulus.js';

const number = (bytes: Buffer): bigint => BigInt(`0x${bytes.toString('hex')}`);
/** The primes with 2,048 and 1,536 bits from RFC 3526. */
const PRIME = number(getDiffieHellman('modp14').getPrime());
const SMALLER = number(getDiffieHellman('modp5').getPrime());

function good(modulusLength: number): bigint {
  const { n = '' } = generateKeyPairSync('rsa', { modulusLength }).publicKey.export({ format: 'jwk' });
  return number(Buffer.from(n, 'base64url'));
}

describe('the modulus of an RSA key', () => {
  it('is accepted if it is the product of two large primes', async () => {
    for (const bits of [2048, 2048, 3072]) expect(await modulusDefect(good(bits))).toBeUndefined();
    expect(await modulusDefect(PRIME * SMALLER)).toBeUndefined();
  });

  it.each([
    ['even', PRIME * 2n, 'has the factor 2'],
    ['a multiple of 3', PRIME * 3n, 'has the factor 3'],
    ['a multiple of 751', PRIME * 751n, 'has the factor 751'],
    ['a prime', PRIME, 'is a prime or a power of one'],
    ['the square of a prime', SMALLER ** 2n, 'is a prime or a power of one'],
    ['the cube of a prime', SMALLER ** 3n, 'is a prime or a power of one'],
  ])('is refused if it is %s', async (_what, modulus, defect) => {
    expect(await modulusDefect(modulus)).toBe(defect);
  });

  it('yields to the event loop while a large one is checked', async () => {
    let turns = 0;
    const ticking = setInterval(() => turns++, 0);
    await modulusDefect(PRIME ** 4n * SMALLER);
    clearInterval(ticking);
    expect(turns).toBeGreaterThan(5);
  });
});
