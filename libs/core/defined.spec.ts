import { describe, expect, it } from '@jest/globals';
import { defined } from './defined.js';

describe('defined', () => {
  it('leaves out fields that are undefined, and keeps null, false, 0 and empty texts', () => {
    const given = { a: undefined, b: null, c: false, d: 0, e: '' };
    expect(Object.entries(defined(given))).toEqual([
      ['b', null],
      ['c', false],
      ['d', 0],
      ['e', ''],
    ]);
  });
});
