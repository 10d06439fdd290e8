import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PackReader, PackWriter } from './pack-bytes.js';

describe('packed bytes', () => {
  it('return any numbers and texts in their order', () => {
    const value = fc.oneof(fc.maxSafeNat(), fc.nat(300), fc.string({ unit: 'grapheme' }));
    fc.assert(
      fc.property(fc.array(value, { maxLength: 2_000 }), values => {
        const writer = new PackWriter();
        for (const one of values) {
          if (typeof one === 'number') writer.number(one);
          else writer.text(one);
        }
        const reader = new PackReader(writer.bytes());
        expect(values.map(one => (typeof one === 'number' ? reader.number() : reader.text()))).toEqual(values);
      }),
      { numRuns: 50 },
    );
  });

  it('use one byte for a number below 128', () => {
    const writer = new PackWriter();
    for (const value of [0, 127, 128]) writer.number(value);
    expect([...writer.bytes()]).toEqual([0, 127, 128, 1]);
  });

  it.each([-1, 0.5, Number.NaN, 2 ** 53])('refuse %d', value => {
    expect(() => new PackWriter().number(value)).toThrow(RangeError);
  });

  it('throw if bytes are missing', () => {
    expect(() => new PackReader(Uint8Array.of(128)).number()).toThrow('end too early');
  });
});
