import { describe, expect, it } from '@jest/globals';
import { Column } from './column.js';
import { PositionSpace } from './position-set.js';

function scanningColumn(capacity: number) {
  const asked: unknown[] = [];
  const test = (value: unknown) => asked.push(value) > 0;
  const predicate = { test, whenMissing: false, named: undefined, otherwise: false };
  const space = new PositionSpace(40);
  return { asked, space, column: new Column(space, [{ predicate, positions: [0, 39] }], capacity) };
}

describe('Column', () => {
  it('evaluates a value once, and again only after newer values have evicted it', () => {
    const { asked, column } = scanningColumn(2);
    for (const value of ['a', 'a', 'b', 'a', 'c', 'b', 'a']) column.allowedBy(value);
    expect(asked).toEqual(['a', 'b', 'c', 'a']);
  });

  it('does not cache lists and objects, which may change', () => {
    const { asked, column } = scanningColumn(2);
    const list = ['a'];
    for (let n = 0; n < 3; n++) column.allowedBy(list);
    expect(asked).toEqual([list, list, list]);
  });

  it('shares one set for all values that no condition names', () => {
    const space = new PositionSpace(3);
    const predicate = { test: (value: unknown) => value === 'a', whenMissing: false, named: ['a'], otherwise: false };
    const column = new Column(space, [{ predicate, positions: [1] }], 10);
    expect(column.allowedBy('x')).toBe(column.allowedBy('y'));
    expect(space.intersect([column.allowedBy('x')])).toEqual([0, 2]);
    expect(space.intersect([column.allowedBy('a')])).toEqual([0, 1, 2]);
    expect(space.intersect([column.allowedBy(null)])).toEqual([0, 2]);
  });
});
