import { describe, expect, it } from '@jest/globals';
import { KeyedCounter } from './keyed-counter.js';

function count(tally: KeyedCounter<string>, key: string, changed: number, matched = changed): void {
  const counts = tally.of(key, () => key);
  counts.changed += changed;
  counts.matched += matched;
  counts.picodollars += BigInt(changed);
}

const labels = (tally: KeyedCounter<string>, shown: number) => tally.top(shown).top.map(({ label }) => label);

describe('counts by key', () => {
  it('are listed by their changes, then by their matches', () => {
    const tally = new KeyedCounter<string>();
    count(tally, 'a', 1, 5);
    count(tally, 'b', 2, 2);
    count(tally, 'c', 1, 9);
    expect(labels(tally, 3)).toEqual(['b', 'c', 'a']);
    expect(tally.top(3)).toMatchObject({ others: undefined, isExact: true });
  });

  it('have a sum for those that are not shown', () => {
    const tally = new KeyedCounter<string>();
    for (let key = 1; key <= 5; key++) count(tally, `k${key}`, key, key * 2);
    expect(labels(tally, 2)).toEqual(['k5', 'k4']);
    expect(tally.top(2).others).toEqual({ keys: 3, changed: 6, matched: 12, picodollars: 6n });
  });

  it('keep exact sums if there are more keys than entries, and state that the counts of single keys may be too low', () => {
    const tally = new KeyedCounter<string>(4);
    count(tally, 'often', 100);
    for (let key = 0; key < 20; key++) {
      count(tally, `k${key}`, 1);
      if (tally.isFull) tally.shed();
    }
    count(tally, 'often', 100);
    const { top, others, isExact } = tally.top(1);
    expect(top).toEqual([{ label: 'often', matched: 200, changed: 200, picodollars: 200n }]);
    expect(others).toMatchObject({ changed: 20, matched: 20, picodollars: 20n });
    expect(isExact).toBe(false);
  });
});
