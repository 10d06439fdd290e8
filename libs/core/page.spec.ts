import { describe, expect, it } from '@jest/globals';
import { pageOf } from './page.js';

const show = (row: number) => `item ${row}`;
const after = (row: number) => `after ${row}`;

describe('a page', () => {
  it('has more exactly if one row more than the limit was found', () => {
    expect(pageOf([1, 2, 3], 2, show, after)).toEqual({
      items: ['item 1', 'item 2'],
      next_cursor: 'after 2',
      has_more: true,
    });
    expect(pageOf([1, 2], 2, show, after)).toEqual({ items: ['item 1', 'item 2'], next_cursor: null, has_more: false });
  });

  it('has no items and no cursor if nothing was found', () => {
    expect(pageOf([], 25, show, after, 0)).toEqual({ items: [], next_cursor: null, has_more: false, total_count: 0 });
  });

  it('contains the count only if it was counted', () => {
    expect(pageOf([1], 1, show, after)).not.toHaveProperty('total_count');
  });
});
