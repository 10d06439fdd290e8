import { describe, expect, it } from '@jest/globals';
import { inGroups } from './decision-scan.js';

const groups = (...sizes: number[]) => [
  ...inGroups(
    sizes.map(bytes => ({ bytes })),
    10,
  ),
];
const sizes = (...given: number[]) => groups(...given).map(group => group.map(({ bytes }) => bytes));

describe('groups of reads', () => {
  it('are as large as allowed, in order', () => {
    expect(sizes(4, 6, 1, 9, 10, 3)).toEqual([[4, 6], [1, 9], [10], [3]]);
  });

  it('contain a larger element alone', () => {
    expect(sizes(1, 11, 1, 1)).toEqual([[1], [11], [1, 1]]);
  });

  it('are empty for no elements', () => {
    expect(sizes()).toEqual([]);
  });
});
