import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { canonicalJson } from '#core';
import { differencesBetween, type JsonDifference } from './policy-diff.js';

describe('the differences between two contents', () => {
  it('are empty if only the order of keys differs', () => {
    expect(differencesBetween({ a: 1, b: { c: [1], d: null } }, { b: { d: null, c: [1] }, a: 1 })).toEqual([]);
  });

  it('name changed, added and removed fields by path', () => {
    const before = { name: 'a', conditions: { role: { eq: 'x' }, department: { in: ['A'] } } };
    const after = { name: 'b', conditions: { role: { eq: 'x', not_eq: 'y' }, status: { exists: true } } };
    expect(differencesBetween(before, after)).toEqual([
      { path: '/name', before: 'a', after: 'b' },
      { path: '/conditions/role/not_eq', after: 'y' },
      { path: '/conditions/department', before: { in: ['A'] } },
      { path: '/conditions/status', after: { exists: true } },
    ]);
  });

  it('distinguish null from a missing field', () => {
    expect(differencesBetween({ a: null }, {})).toEqual([{ path: '/a', before: null }]);
    expect(differencesBetween({}, { a: null })).toEqual([{ path: '/a', after: null }]);
  });

  it('show lists as a whole', () => {
    expect(differencesBetween({ in: ['a', 'b'] }, { in: ['b'] })).toEqual([
      { path: '/in', before: ['a', 'b'], after: ['b'] },
    ]);
  });

  it('escape special characters of JSON Pointer', () => {
    const [first, second] = differencesBetween({}, { 'attributes.a/b~c': 1, '': 2 });
    expect([first?.path, second?.path]).toEqual(['/attributes.a~1b~0c', '/']);
  });

  it('turn any content into any other when applied', () => {
    const content = fc.object({
      maxDepth: 3,
      key: fc.constantFrom('a', 'b', 'a/b', '~', 'x'),
      withNullPrototype: false,
    });
    fc.assert(
      fc.property(content, content, (before, after) => {
        const changed: unknown = applied(structuredClone(before), differencesBetween(before, after));
        expect(canonicalJson(changed)).toBe(canonicalJson(after));
      }),
    );
  });
});

/** Applies the differences of a diff to an object. */
function applied(target: Record<string, unknown>, differences: JsonDifference[]): Record<string, unknown> {
  for (const difference of differences) {
    const keys = difference.path.slice(1).split('/');
    const last = unescaped(keys.pop() ?? '');
    let place: object = target;
    for (const key of keys) place = Reflect.get(place, unescaped(key)) as object;
    if ('after' in difference) Reflect.set(place, last, difference.after);
    else Reflect.deleteProperty(place, last);
  }
  return target;
}

function unescaped(key: string): string {
  return key.replaceAll('~1', '/').replaceAll('~0', '~');
}
