import { describe, expect, it } from '@jest/globals';
import { LRUCache } from 'lru-cache';
import { boundedBy } from './bounded-by.js';

describe('a bounded cache', () => {
  it('evicts the entry that was used least recently when it is full', () => {
    const cache = new LRUCache<string, number>(boundedBy(3));
    for (const [at, key] of ['a', 'b', 'c'].entries()) cache.set(key, at);
    cache.get('a');
    cache.set('d', 3);
    expect([...cache.keys()].toSorted()).toEqual(['a', 'c', 'd']);
  });

  it('counts an entry once, however often it is set', () => {
    const cache = new LRUCache<string, number>(boundedBy(2));
    for (const [at, key] of ['a', 'b', 'b', 'b'].entries()) cache.set(key, at);
    expect([...cache.keys()].toSorted()).toEqual(['a', 'b']);
  });
});
