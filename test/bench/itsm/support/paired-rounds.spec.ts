import { describe, expect, it } from '@jest/globals';
import { areEnough, BUSY_TURN_MS, orderOf, summaryOf, watchTurns } from './paired-rounds.js';

const TEN = [1.3, 0.7, 1.1, 0.9, 1.0, 1.2, 0.8, 1.4, 1.05, 0.95];

describe('a comparison in paired rounds', () => {
  it('alternates the order of the phases, so that each is first equally often', () => {
    expect([0, 1, 2, 3].map(orderOf)).toEqual([
      ['without', 'with'],
      ['with', 'without'],
      ['without', 'with'],
      ['with', 'without'],
    ]);
  });

  it('needs an even number of at least ten rounds', () => {
    expect([3, 8, 10, 11, 12].map(areEnough)).toEqual([false, false, true, false, true]);
  });

  it('returns the median between the two middle ratios, and the extremes', () => {
    expect(summaryOf(TEN)).toMatchObject({ median: 1.025, least: 0.7, most: 1.4 });
    expect(summaryOf([1, 3, 2]).median).toBe(2);
  });

  it('returns an interval that holds the true median in at least 95 % of cases', () => {
    // Of ten ratios, one is left out at each end: 22 of 1,024 orders of signs are outside, and 112 with two left out.
    expect(summaryOf(TEN)).toMatchObject({ low: 0.8, high: 1.3 });
    // Five ratios lie all on one side of the median in 2 of 32 cases: too often for an interval.
    expect(summaryOf([1, 1, 1, 1, 1])).toMatchObject({ low: -Infinity, high: Infinity });
    expect(summaryOf([6, 1, 2, 5, 3, 4])).toMatchObject({ low: 1, high: 6 });
  });

  it('sees a turn of the event loop that is longer than the limit of a busy machine', async () => {
    const turns = watchTurns();
    await new Promise(resolve => setTimeout(resolve, 20));
    const until = performance.now() + 2 * BUSY_TURN_MS;
    while (performance.now() < until);
    await new Promise(resolve => setTimeout(resolve, 20));
    expect(turns.stop().max).toBeGreaterThan(BUSY_TURN_MS);
  });
});
