import { describe, expect, it } from '@jest/globals';
import { readInput } from './input.pipe.js';
import { PageQueryDto } from './page.dto.js';

describe('the query parameters of a list', () => {
  const read = (query: object) => readInput(PageQueryDto, query, 'query');

  it.each([
    ['1', 1],
    ['100', 100],
    ['025', 25],
  ])('are read: limit=%s', (text, limit) => {
    expect(read({ limit: text }).limit).toBe(limit);
  });

  it.each(['0', '101', '-1', '1.0', '1e1', '0x10', '', ' 5', 'NaN', '9'.repeat(40), ['1', '2'], { a: '1' }])(
    'are refused: limit=%j',
    limit => {
      expect(() => read({ limit })).toThrow('limit: must be a whole number from 1 to 100');
    },
  );

  it('are refused if the cursor is empty or repeated, or a parameter is unknown', () => {
    expect(() => read({ cursor: '' })).toThrow('cursor');
    expect(() => read({ cursor: ['a', 'b'] })).toThrow('cursor');
    expect(() => read({ offset: '5' })).toThrow('offset: is not a field of this request');
  });

  it('are read from an object without a prototype', () => {
    expect(read(Object.assign(Object.create(null), { limit: '5' })).limit).toBe(5);
  });
});
