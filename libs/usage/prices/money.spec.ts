import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { picoToDecimalString, toScaled, usdToPico } from './money.js';

const amounts = fc.bigInt({ min: 0n, max: 10n ** 18n });

describe('money', () => {
  it.each<[number | string, bigint]>([
    [0.1, 100_000_000_000n],
    ['0.1', 100_000_000_000n],
    ['0.10', 100_000_000_000n],
    [1e-7, 100_000n],
    ['1E-7', 100_000n],
    [1e-12, 1n],
    [0, 0n],
    [-0, 0n],
    [1e6, 10n ** 18n],
    ['1e6', 10n ** 18n],
    [1.5, 1_500_000_000_000n],
    ['0.000000000001', 1n],
    ['0.1000000000000000', 100_000_000_000n],
  ])('reads %p as %p picodollars', (usd, pico) => expect(usdToPico(usd)).toBe(pico));

  it('rounds a number half up at the picodollar, because sums in floating point have rounding errors', () => {
    expect(usdToPico(0.1 + 0.2)).toBe(300_000_000_000n);
    expect(usdToPico(5e-13)).toBe(1n);
    expect(usdToPico(4.9e-13)).toBe(0n);
    expect(usdToPico(5e-14)).toBe(0n);
    expect(usdToPico(Number.MIN_VALUE)).toBe(0n);
  });

  it.each(['0.0000000000001', '-1', '+1', '', ' 1', '1 ', '1.', '.5', '1,5', '0x10', 'NaN', 'Infinity', '1e', '1_0'])(
    'refuses the text %j',
    text => expect(usdToPico(text)).toBeUndefined(),
  );

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('refuses the number %p', n =>
    expect(usdToPico(n)).toBeUndefined(),
  );

  it('writes a read value back to the last digit', () => {
    fc.assert(fc.property(amounts, pico => expect(usdToPico(picoToDecimalString(pico))).toBe(pico)));
  });

  it('reads every decimal as integer arithmetic does', () => {
    fc.assert(
      fc.property(fc.nat(), fc.array(fc.nat({ max: 9 }), { maxLength: 12 }), (whole, places) => {
        const oracle = places.reduce(
          (sum, digit, at) => sum + BigInt(digit) * 10n ** BigInt(11 - at),
          BigInt(whole) * 10n ** 12n,
        );
        expect(usdToPico(places.length > 0 ? `${whole}.${places.join('')}` : `${whole}`)).toBe(oracle);
      }),
    );
  });

  it('reads every number within half a picodollar of its shortest text', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e6, noNaN: true }), usd => {
        // With 400 decimal places, every text of a number has an exact value.
        const exact = toScaled(String(usd), 400)!;
        const distance = toScaled(usd, 12)! * 10n ** 388n - exact;
        expect(2n * distance <= 10n ** 388n && 2n * distance > -(10n ** 388n)).toBe(true);
      }),
    );
  });

  it('writes negative amounts, such as a remaining budget', () => {
    expect(picoToDecimalString(-1n)).toBe('-0.000000000001');
    expect(picoToDecimalString(-1_500_000_000_000n)).toBe('-1.500000000000');
  });
});
