import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { projection, statusOf } from './budget-status.js';

const DAY = { start: new Date('2026-11-20T00:00:00Z'), end: new Date('2026-11-21T00:00:00Z') };
const NOON = new Date('2026-11-20T12:00:00Z');
const usd = (dollars: number) => BigInt(Math.round(dollars * 1e6)) * 1_000_000n;

describe('the time when a budget will be used up', () => {
  it.each<[string, number, number, Date, string | null]>([
    [
      'is after three quarters of the window if two thirds are spent after half of it',
      15,
      10,
      NOON,
      '2026-11-20T18:00:00.000Z',
    ],
    ['is null if the amount is reached only at the end of the window', 20, 10, NOON, null],
    [
      'is just before the end of the window if the amount is reached there',
      19.9999,
      10,
      NOON,
      '2026-11-20T23:59:59.568Z',
    ],
    ['is null at a slower pace', 100, 10, NOON, null],
    ['is null if nothing is spent', 10, 0, NOON, null],
    ['is null at the start of the window, before any pace exists', 10, 5, DAY.start, null],
    ['is null if the clock is before the start of the window', 10, 5, new Date('2026-11-19T00:00:00Z'), null],
  ])('%s', (_rule, amount, spent, at, expected) => {
    const found = projection(usd(amount), DAY, { spent: usd(spent), exceededAt: null }, at);
    expect(found?.toISOString() ?? null).toBe(expected);
  });

  it('is the time at which the end was noticed, once the budget is used up', () => {
    const exceededAt = new Date('2026-11-20T09:30:00Z');
    for (const spent of [10, 12])
      expect(projection(usd(10), DAY, { spent: usd(spent), exceededAt }, NOON)).toBe(exceededAt);
  });

  it('is in the future again if the amount was raised above the spending', () => {
    const exceededAt = new Date('2026-11-20T09:30:00Z');
    const found = projection(usd(15), DAY, { spent: usd(10), exceededAt }, NOON);
    expect(found?.toISOString()).toBe('2026-11-20T18:00:00.000Z');
  });

  it('is the beginning of the window if the amount is zero', () => {
    expect(projection(0n, DAY, { spent: 0n, exceededAt: null }, NOON)).toEqual(DAY.start);
  });

  it('is in the future and within the window, and no later than the rate predicts', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 1n, max: 10n ** 24n }),
        fc.bigInt({ min: 1n, max: 10n ** 24n }),
        fc.integer({ min: 1, max: 86_399_999 }),
        (amount, spent, elapsed) => {
          const at = new Date(DAY.start.getTime() + elapsed);
          const found = projection(amount, DAY, { spent, exceededAt: at }, at);
          if (spent >= amount) return expect(found).toBe(at);
          if (found === null) return expect(spent * 86_400_000n).toBeLessThanOrEqual(amount * BigInt(elapsed) + spent);
          expect(found > at && found < DAY.end).toBe(true);
          // The amount must be reached exactly at the returned time: not yet a millisecond earlier.
          const after = BigInt(found.getTime() - DAY.start.getTime());
          expect(spent * after >= amount * BigInt(elapsed)).toBe(true);
          return expect(spent * (after - 1n) < amount * BigInt(elapsed)).toBe(true);
        },
      ),
    );
  });
});

describe('the remaining amount of a budget', () => {
  it.each([
    [10, 4, 1, 5],
    [10, 4, 6, 0],
    [10, 12, 1, 0],
    [0, 0, 0, 0],
  ])('of %d, with %d spent and %d reserved, is %d and never below 0', (amount, spent, reserved, remaining) => {
    const figures = { spent: usd(spent), reserved: usd(reserved), exceededAt: null };
    expect(statusOf(usd(amount), DAY, figures, NOON).remaining).toBe(usd(remaining));
  });
});
