import { describe, expect, it } from '@jest/globals';
import { BoundedMap } from './bounded-map.js';

describe('BoundedMap', () => {
  it('forgets the entry that was used longest ago when it is full', () => {
    const map = new BoundedMap<string, number>(2);
    map.set('a', 1);
    map.set('b', 2);
    map.get('a');
    map.set('c', 3);
    expect([map.get('a'), map.get('b'), map.get('c'), map.size]).toEqual([1, undefined, 3, 2]);
  });

  it('forgets what a rule names and keeps the rest', () => {
    const map = new BoundedMap<string, number>(5);
    map.set('a', 1);
    map.set('b', 2);
    map.deleteWhere(value => value === 1);
    expect([map.get('a'), map.get('b')]).toEqual([undefined, 2]);
  });
});
