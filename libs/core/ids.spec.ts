import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isUuid, newId } from './ids.js';

describe('newId', () => {
  it('is a UUID of version 7 and of the RFC variant, whatever the time and the random bytes', () => {
    const times = fc.integer({ min: 0, max: 2 ** 48 - 1 });
    fc.assert(
      fc.property(times, fc.uint8Array({ minLength: 10, maxLength: 10 }), (time, random) => {
        // The largest Date is smaller than the largest number of 48 bits.
        const id = newId(new Date(Math.min(time, 8.64e15)), random);
        expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        expect(isUuid(id)).toBe(true);
        expect(parseInt(id.replace('-', '').slice(0, 12), 16)).toBe(Math.min(time, 8.64e15));
      }),
    );
  });

  it('is the example of RFC 9562, appendix A.6', () => {
    // In 017F22E2-79B0-7CC3-98C4-DC0C0C07398F, rand_a is CC3, and rand_b begins after the two bits of the variant.
    const id = newId(new Date(0x017f22e279b0), Buffer.from('cc398c4dc0c0c07398f0', 'hex'));
    expect(id).toBe('017f22e2-79b0-7cc3-98c4-dc0c0c07398f');
  });

  it('sorts by creation time', () => {
    const ids = [1, 2, 1000, 1_800_000_000_000].map(time => newId(new Date(time)));
    expect([...ids].sort()).toEqual(ids);
  });

  it('is never generated twice', () => {
    const now = new Date();
    expect(new Set(Array.from({ length: 1000 }, () => newId(now))).size).toBe(1000);
  });
});

describe('isUuid', () => {
  it.each(['00000000-0000-0000-0000-000000000000', 'F47AC10B-58CC-4372-A567-0E02B2C3D479'])('accepts %s', text => {
    expect(isUuid(text)).toBe(true);
  });

  it.each([
    '',
    'f47ac10b58cc4372a5670e02b2c3d479',
    '{f47ac10b-58cc-4372-a567-0e02b2c3d479}',
    'f47ac10b-58cc-4372-a567-0e02b2c3d479\n',
    'g47ac10b-58cc-4372-a567-0e02b2c3d479',
    42,
    null,
  ])('refuses %j', text => {
    expect(isUuid(text)).toBe(false);
  });
});
