import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { parseKeyring } from './keyring.js';

const bytes = (byte: number) => Buffer.alloc(32, byte);
const entry = (id: string, byte: number) => `${id}:${bytes(byte).toString('base64')}`;

describe('a keyring', () => {
  it('encrypts with its first key and decrypts with all', () => {
    const ring = parseKeyring(`${entry('new', 1)}, ${entry('old', 2)}`);
    expect([ring.writingKeyId, ring.keyIds]).toEqual(['new', ['new', 'old']]);
    expect(ring.derive('old', 'p')).toHaveLength(32);
    expect(ring.derive('other', 'p')).toBeUndefined();
  });

  it('derives one key per purpose and key, the same each time, and never the key itself', () => {
    const ring = parseKeyring(`${entry('a', 1)},${entry('b', 2)}`);
    const derived = [ring.derive('a', 'p'), ring.derive('a', 'q'), ring.derive('b', 'p')].map(key =>
      key?.toString('hex'),
    );
    expect(new Set([...derived, bytes(1).toString('hex'), bytes(2).toString('hex')]).size).toBe(5);
    expect(parseKeyring(entry('a', 1)).derive('a', 'p')?.toString('hex')).toBe(derived[0]);
  });

  it('reads base64url, and base64 with or without padding', () => {
    const key = Buffer.alloc(32, 0xfb);
    const forms = [key.toString('base64'), key.toString('base64url'), key.toString('base64').replace('=', '')];
    const derived = forms.map(form => parseKeyring(`k:${form}`).derive('k', 'p')?.toString('hex'));
    expect(new Set(derived).size).toBe(1);
  });

  it('contains no key in any printed form', () => {
    const ring = parseKeyring(entry('a', 1));
    ring.derive('a', 'p');
    const printed = inspect(ring, { depth: 9, showHidden: true }) + JSON.stringify(ring);
    expect(printed).not.toMatch(/01 01 01|AQEB|1,1,1/);
  });

  it.each([
    ['nothing', ''],
    ['a key without an id', bytes(1).toString('base64')],
    ['a key of 16 bytes', `k:${Buffer.alloc(16).toString('base64')}`],
    ['a key of 33 bytes', `k:${Buffer.alloc(33).toString('base64')}`],
    ['an id with a dot, which cursors use as a separator', entry('a.b', 1)],
    ['an empty entry', `${entry('a', 1)},`],
  ])('is refused with %s, and the error says how to create one', (_what, text) => {
    expect(() => parseKeyring(text)).toThrow(/openssl rand -base64 32/);
  });

  it('does not repeat a key in an error', () => {
    const secret = 'c2VjcmV0LXNlY3JldC1zZWNyZXQ';
    expect(() => parseKeyring(`${entry('a', 1)},k:${secret}`)).toThrow(/entry 2/);
    expect(() => parseKeyring(`k:${secret}`)).not.toThrow(secret);
  });

  it('has no two keys with the same id', () => {
    expect(() => parseKeyring(`${entry('a', 1)},${entry('a', 2)}`)).toThrow('share one id');
  });

  it('contains no key as JSON', () => {
    expect(JSON.stringify({ ring: parseKeyring(entry('a', 1)) })).toBe('{"ring":"Keyring(a)"}');
  });
});
