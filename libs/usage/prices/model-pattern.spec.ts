import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { BoundedCache } from './bounded-cache.js';
import { ModelPattern } from './model-pattern.js';

describe('model patterns', () => {
  it.each([
    ['gpt-4o', 'GPT-4o', true],
    ['gpt-4o', 'gpt-4o-mini', false],
    ['gpt-*', 'gpt-', true],
    ['*-mini', 'gpt-4o-mini', true],
    ['gpt-*-mini', 'gpt-mini', false],
    ['a*b*b', 'ab', false],
    ['a*b*b', 'abb', true],
    ['*', '', true],
    ['gpt.4', 'gptx4', false],
  ])('%s against %s: %s', (pattern, model, matches) => expect(new ModelPattern(pattern).matches(model)).toBe(matches));

  it('match like the equivalent regular expression', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '*', '.'), maxLength: 8 });
    fc.assert(
      fc.property(text, text, (pattern, name) => {
        const source = pattern
          .split('*')
          .map(part => part.replaceAll('.', '\\.'))
          .join('.*');
        expect(new ModelPattern(pattern).matches(name)).toBe(new RegExp(`^${source}$`, 's').test(name));
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('the bounded cache', () => {
  it('evicts the oldest entry, so that random names cannot fill the memory', () => {
    const cache = new BoundedCache<number>(2);
    let computed = 0;
    const ask = (key: string) => cache.get(key, () => ++computed);
    expect(['a', 'a', 'b', 'c', 'c', 'b', 'a'].map(ask)).toEqual([1, 1, 2, 3, 3, 2, 4]);
  });
});
