import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { hashToken, isWellFormedToken, newToken } from './token-format.js';
import { defectOfSecret } from './token-secret.js';

describe('an access token', () => {
  it('is gov_ and 49 letters and digits, whatever its random bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), random => {
        const token = newToken(random);
        expect(token).toMatch(/^gov_[0-9A-Za-z]{49}$/);
        expect(isWellFormedToken(token)).toBe(true);
      }),
    );
    expect(newToken(new Uint8Array(32))).toMatch(/^gov_0{43}/);
    expect(newToken(new Uint8Array(32).fill(255))).toMatch(/^gov_[^0]/);
  });

  it('is malformed with any one character changed', () => {
    const token = newToken();
    for (let at = 4; at < token.length; at++) {
      const changed = token.slice(0, at) + (token[at] === 'x' ? 'y' : 'x') + token.slice(at + 1);
      expect(isWellFormedToken(changed)).toBe(false);
    }
    expect(isWellFormedToken(`${token}0`)).toBe(false);
    expect(isWellFormedToken(token.toUpperCase())).toBe(false);
  });

  it('is never generated twice', () => {
    expect(new Set(Array.from({ length: 100 }, () => newToken())).size).toBe(100);
  });

  it('is stored as its SHA-256', () => {
    expect(Buffer.from(hashToken('abc'), 'base64').toString('hex')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });
});

describe('the secret that an operator configures', () => {
  it.each([['x'.repeat(32)], ['A-b_c.d~e+f/g=h!i$j%k&l*m(n)o:p;q,r?'], [newToken()], ['x'.repeat(1024)]])(
    'may be %s',
    secret => {
      expect(defectOfSecret(secret)).toBeUndefined();
    },
  );

  it.each([
    ['31 characters', 'x'.repeat(31), 'at least 32'],
    ['1,025 characters', 'x'.repeat(1025), 'at most'],
    ['a space', `${'x'.repeat(32)} y`, 'visible'],
    ['a letter outside ASCII', `${'x'.repeat(32)}ä`, 'visible'],
    ['the form of a JWT', `${'x'.repeat(16)}.${'y'.repeat(16)}.z`, 'JWT'],
    ['the prefix of our tokens without their checksum', `gov_${'x'.repeat(49)}`, 'gov_'],
  ])('may not have %s', (_what, secret, named) => {
    expect(defectOfSecret(secret)).toContain(named);
  });
});
