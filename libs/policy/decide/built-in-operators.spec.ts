import { describe, expect, it } from '@jest/globals';
import { compilePolicies, decide } from './index.js';

const ABSENT = Symbol('absent');
type Row = [conditions: Record<string, unknown>, value: unknown, matches: boolean];

/** These tests cover the whole path from a condition to the verdict, including the index. */
function matches(tests: Record<string, unknown>, value: unknown): boolean {
  const policy = { id: 'p', name: 'p', model: null, action: 'block', enabled: true, version: 1 } as const;
  const compiled = compilePolicies([{ ...policy, conditions: { 'attributes.x': tests } }]);
  const attributes = value === ABSENT ? {} : { x: value };
  return decide(compiled, { attributes }, { model: 'm' }).matches.length === 1;
}

describe('built-in operators', () => {
  it.each<Row>([
    [{ in: ['a', 'b'] }, 'b', true],
    [{ in: ['a', 'b'] }, 'c', false],
    [{ in: ['1'] }, 1, false],
    [{ in: [] }, 'a', false],
    [{ not_in: ['a', 'b'] }, 'c', true],
    [{ not_in: ['a', 'b'] }, 'a', false],
    [{ not_in: ['1'] }, 1, true],
    [{ not_in: [] }, 'a', true],
    [{ eq: 'a' }, 'a', true],
    [{ eq: 'a' }, 'b', false],
    [{ eq: 1 }, 1, true],
    [{ eq: 1 }, '1', false],
    [{ eq: true }, true, true],
    [{ eq: true }, 'true', false],
    [{ eq: false }, 0, false],
    [{ eq: '' }, '', true],
    [{ not_eq: 'a' }, 'b', true],
    [{ not_eq: 'a' }, 'a', false],
    [{ not_eq: 1 }, '1', true],
    [{ not_eq: false }, false, false],
    [{ starts_with: 'ab' }, 'abc', true],
    [{ starts_with: 'ab' }, 'cab', false],
    [{ starts_with: '' }, 'abc', true],
    [{ starts_with: '1' }, 12, false],
    [{ ends_with: 'bc' }, 'abc', true],
    [{ ends_with: 'bc' }, 'bca', false],
    [{ ends_with: '2' }, 12, false],
    [{ exists: true }, 'a', true],
    [{ exists: true }, '', true],
    [{ exists: true }, false, true],
    [{ exists: false }, 'a', false],
    [{ gt: 5 }, 5.1, true],
    [{ gt: 5 }, 5, false],
    [{ gt: 5 }, '6', false],
    [{ gte: 5 }, 5, true],
    [{ gte: 5 }, 4.9, false],
    [{ gte: 5 }, '5', false],
    [{ lt: 5 }, 4.9, true],
    [{ lt: 5 }, 5, false],
    [{ lt: 5 }, true, false],
    [{ lte: 5 }, 5, true],
    [{ lte: 5 }, 5.1, false],
    [{ lte: 5 }, '5', false],
  ])('%j for the value %j: %s', (tests, value, expected) => {
    expect(matches(tests, value)).toBe(expected);
  });

  const WHEN_MISSING: [Record<string, unknown>, boolean][] = [
    [{ in: ['a'] }, false],
    [{ not_in: ['a'] }, true],
    [{ eq: 'a' }, false],
    [{ not_eq: 'a' }, true],
    [{ starts_with: '' }, false],
    [{ ends_with: '' }, false],
    [{ exists: true }, false],
    [{ exists: false }, true],
    [{ gt: 0 }, false],
    [{ gte: 0 }, false],
    [{ lt: 0 }, false],
    [{ lte: 0 }, false],
  ];
  it.each(WHEN_MISSING)('%j for an attribute that is missing, undefined or null: %s', (tests, expected) => {
    for (const value of [ABSENT, undefined, null]) expect(matches(tests, value)).toBe(expected);
  });

  it('never matches eq: null and always matches not_eq: null, also for a missing attribute', () => {
    for (const value of [ABSENT, null, 'a', 0]) {
      expect(matches({ eq: null }, value)).toBe(false);
      expect(matches({ not_eq: null }, value)).toBe(true);
    }
  });

  it('compares with case and Unicode form', () => {
    expect(matches({ eq: 'Finance' }, 'finance')).toBe(false);
    expect(matches({ eq: '\u00e9' }, 'e\u0301')).toBe(false);
  });

  it('lets a list or an object exist but equal nothing', () => {
    for (const value of [['a'], { a: 1 }]) {
      expect(matches({ exists: true }, value)).toBe(true);
      expect(matches({ in: ['a'] }, value)).toBe(false);
      expect(matches({ eq: 'a' }, value)).toBe(false);
      expect(matches({ starts_with: 'a' }, value)).toBe(false);
      expect(matches({ gt: 0 }, value)).toBe(false);
      expect(matches({ not_in: ['a'] }, value)).toBe(true);
      expect(matches({ not_eq: 'a' }, value)).toBe(true);
    }
  });

  it('evaluates all operators of one attribute', () => {
    const between = { gte: 3, lt: 5, not_eq: 4 };
    expect([2, 3, 4, 5].map(value => matches(between, value))).toEqual([false, true, false, false]);
    expect(matches({ in: ['a', 'b'], not_in: ['b'] }, 'a')).toBe(true);
    expect(matches({ in: ['a', 'b'], not_in: ['b'] }, 'b')).toBe(false);
    expect(matches({ exists: true, not_eq: 'a' }, ABSENT)).toBe(false);
  });
});
