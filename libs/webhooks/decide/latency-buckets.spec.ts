import { describe, expect, it } from '@jest/globals';
import { LATENCY_BOUNDS_MS, percentileOf } from './latency-buckets.js';

function counts(...buckets: readonly [at: number, count: number][]): number[] {
  const all = Array.from({ length: LATENCY_BOUNDS_MS.length + 1 }, () => 0);
  for (const [at, count] of buckets) all[at] = count;
  return all;
}

describe('percentileOf', () => {
  it.each([
    ['nothing', [], 0.5, null],
    ['no attempts', counts(), 0.95, null],
    ['attempts in one bucket', counts([3, 10]), 0.5, 75],
    ['a share in a later bucket', counts([0, 90], [4, 10]), 0.95, 150],
    ['a share that ends exactly with a bucket', counts([0, 50], [4, 50]), 0.5, 10],
    ['a share in the bucket without an upper bound', counts([13, 4]), 0.5, 8_750],
  ])('of %s interpolates within the bucket that contains the share', (_of, of, share, expected) => {
    expect(percentileOf(of, share)).toBe(expected);
  });
});
