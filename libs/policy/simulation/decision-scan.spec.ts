import { describe, expect, it } from '@jest/globals';
import { inGroups } from './decision-scan.js';

const groups = (...sizes: number[]) => [
  ...inGroups(
    sizes.map(bytes => ({ bytes })),
    10,
  ),
];
const sizes = (...given: number[]) => groups(...given).map(group => group.map(({ bytes }) => bytes));

describe('groups of what is read at a time', () => {
  it('are as large as they may be, in order', () => {
    expect(sizes(4, 6, 1, 9, 10, 3)).toEqual([[4, 6], [1, 9], [10], [3]]);
  });

  it('have what is larger alone', () => {
    expect(sizes(1, 11, 1, 1)).toEqual([[1], [11], [1, 1]]);
  });

  it('are none of nothing', () => {
    expect(sizes()).toEqual([]);
  });
});
