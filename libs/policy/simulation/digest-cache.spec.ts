import { describe, expect, it } from '@jest/globals';
import { DigestCache } from './digest-cache.js';

const digestOf = (number: number) => Int32Array.of(number, 1, 2, 3);

describe('values by digest', () => {
  it('are found by the whole digest', () => {
    const cache = new DigestCache<string>(16);
    cache.keep(Int32Array.of(1, 2, 3, 4), 'a');
    cache.keep(Int32Array.of(1, 2, 3, 5), 'b');
    expect(cache.find(Int32Array.of(1, 2, 3, 4))).toBe('a');
    expect(cache.find(Int32Array.of(1, 2, 3, 5))).toBe('b');
    expect(cache.find(Int32Array.of(1, 2, 3, 6))).toBeUndefined();
    expect(cache.find(new Int32Array(4))).toBeUndefined();
  });

  it('are limited in number', () => {
    const cache = new DigestCache<number>(64);
    const numbers = Array.from({ length: 10_000 }, (_, number) => number);
    for (const number of numbers) cache.keep(digestOf(number), number);
    expect(numbers.filter(number => cache.find(digestOf(number)) === number)).toEqual(numbers.slice(-64));
  });

  it('stay while they are used', () => {
    const cache = new DigestCache<string>(16);
    cache.keep(digestOf(-1), 'wanted');
    for (let number = 0; number < 1_000; number++) {
      cache.keep(digestOf(number), 'new');
      expect(cache.find(digestOf(-1))).toBe('wanted');
    }
  });
});
