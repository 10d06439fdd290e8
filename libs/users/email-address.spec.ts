import { describe, expect, it } from '@jest/globals';
import { emailDefect, emailKey } from './email-address.js';

describe('an e-mail address', () => {
  it.each([
    'ada@example.com',
    "o'neil+x@sub.example.co.uk",
    'müller@bücher.example',
    'a@xn--bcher-kva.example',
    ' a@b.co ',
  ])('may be %p', address => expect(emailDefect(address)).toBeUndefined());

  it.each([
    '',
    'ada',
    'ada@',
    '@example.com',
    'a b@example.com',
    'a@b@example.com',
    'a\0@example.com',
    // Zero-width space, zero-width joiner, zero-width no-break space, soft hyphen, direction mark, and a white space
    // character outside ASCII.
    ...['\u200b', '\u200d', '\ufeff', '\u00ad', '\u202e', '\u00a0'].map(mark => `ad${mark}a@example.com`),
    'ada@exam\u200bple.com',
    '\u200bada@example.com',
    7,
    null,
    `${'x'.repeat(321)}@b.co`,
  ])('may not be %p', address => expect(emailDefect(address)).toEqual(expect.any(String)));

  it('is the same ignoring case and in any Unicode normalization', () => {
    expect(emailKey(' MU\u0308LLER@Example.COM')).toBe(emailKey('m\u00fcller@example.com'));
  });
});
