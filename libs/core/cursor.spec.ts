import { describe, expect, it } from '@jest/globals';
import { Clock } from './clock.js';
import { CursorSealer, digestFilters } from './cursor.js';
import { BadRequestError } from './errors.js';
import { parseKeyring } from './keyring.js';

const key = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString('base64')}`;
const ORG = '0199c2a8-5f10-7c3e-9a41-3f5d8e2b7c60';
const OTHER = '0199c2a8-5f10-7c3e-9a41-3f5d8e2b7c61';
const FILTERS = digestFilters('things', { status: 'open' });

class StandingClock extends Clock {
  time = Date.parse('2026-11-20T12:00:00Z');

  override now(): Date {
    return new Date(this.time);
  }
}

function sealer(keys = key('k1', 1), clock = new StandingClock()): CursorSealer {
  return new CursorSealer(parseKeyring(keys), clock);
}

describe('a cursor', () => {
  const cursor = { position: ['2026-11-20', null, 7], totalCount: 12 };

  it('returns the position and the count', () => {
    expect(sealer().open(ORG, FILTERS, sealer().seal(ORG, FILTERS, cursor))).toEqual(cursor);
    const uncounted = { position: ['x'] };
    expect(sealer().open(ORG, FILTERS, sealer().seal(ORG, FILTERS, uncounted))).toEqual(uncounted);
  });

  it('hides its content and can be part of a URL', () => {
    const text = sealer().seal(ORG, FILTERS, { position: ['secret-position'] });
    expect(text).toMatch(/^[\w.-]+$/);
    expect(Buffer.from(text.split('.')[1] ?? '', 'base64url').toString('latin1')).not.toContain('secret');
    expect(text).not.toBe(sealer().seal(ORG, FILTERS, { position: ['secret-position'] }));
  });

  it('is valid for one hour', () => {
    const clock = new StandingClock();
    const text = sealer(undefined, clock).seal(ORG, FILTERS, cursor);
    clock.time += 60 * 60 * 1000;
    expect(sealer(undefined, clock).open(ORG, FILTERS, text)).toEqual(cursor);
    clock.time += 1;
    expect(() => sealer(undefined, clock).open(ORG, FILTERS, text)).toThrow('expired');
  });

  it('is refused with other filters, with the reason', () => {
    const text = sealer().seal(ORG, FILTERS, cursor);
    expect(() => sealer().open(ORG, digestFilters('things', {}), text)).toThrow('other filters');
  });

  it('is refused in another organization without the reason', () => {
    const text = sealer().seal(ORG, FILTERS, cursor);
    expect(() => sealer().open(OTHER, FILTERS, text)).toThrow('is not valid');
  });

  it('is refused with any one character changed', () => {
    const text = sealer().seal(ORG, FILTERS, cursor);
    for (let at = 0; at < text.length; at++) {
      const changed = text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1);
      expect(() => sealer().open(ORG, FILTERS, changed)).toThrow(BadRequestError);
    }
  });

  it.each(['', '.', 'k1', 'k1.', 'k1.AAAA', `k1.${'A'.repeat(2000)}`, 'eyJhIjoxfQ==', '25', '\0'])(
    'is not %j',
    text => {
      expect(() => sealer().open(ORG, FILTERS, text)).toThrow(BadRequestError);
    },
  );

  it('can be decrypted with an old key, and is refused once the key is removed', () => {
    const text = sealer(key('k1', 1)).seal(ORG, FILTERS, cursor);
    expect(sealer(`${key('k2', 2)},${key('k1', 1)}`).open(ORG, FILTERS, text)).toEqual(cursor);
    expect(() => sealer(key('k2', 2)).open(ORG, FILTERS, text)).toThrow('is not valid');
    expect(() => sealer(key('k1', 2)).open(ORG, FILTERS, text)).toThrow('is not valid');
  });

  it('is refused with the name of the field', () => {
    try {
      sealer().open(ORG, FILTERS, 'x');
      expect('opened').toBe('refused');
    } catch (error) {
      expect(error).toMatchObject({ code: 'bad_request', details: [{ field: 'cursor' }] });
    }
  });
});

describe('the digest of filters', () => {
  it('does not depend on their order, nor on missing filters', () => {
    expect(digestFilters('l', { a: 1, b: 2 })).toBe(digestFilters('l', { b: 2, c: undefined, a: 1 }));
  });

  it('differs for every list and every value', () => {
    const digests = [
      digestFilters('l', {}),
      digestFilters('m', {}),
      digestFilters('l', { a: null }),
      digestFilters('l', { a: '1' }),
      digestFilters('l', { a: 1 }),
      digestFilters('l', { b: 1 }),
    ];
    expect(new Set(digests).size).toBe(digests.length);
  });
});
