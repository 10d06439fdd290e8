import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { canonicalJson, hasWideObject, inspectJson } from './json.js';

describe('inspectJson', () => {
  it.each([
    '{}',
    '[]',
    '1',
    '"{\\"a\\":1,\\"a\\":2}"',
    '{"a":{"a":{"a":1}}}',
    '[{"a":1},{"a":2}]',
    '{"a":["a","a"],"b":"a"}',
    '{"a\\\\":1,"a":2}',
    '{"a":"\\\\","b":"]}"}',
    '{"A":1,"a":2}',
    '{"proto":1,"__proto":2}',
    '{"x":"__proto__"}',
    ' { "a" : 1 , "b" : [ ] } ',
  ])('finds no error in %s', text => {
    expect(inspectJson(text)).toBeUndefined();
  });

  it.each([
    ['{"a":1,"a":1}', 'a'],
    ['{"a":1,"b":{"c":1},"a":2}', 'a'],
    ['[[{"x":{"b":1,"b":2}}]]', 'b'],
    ['{"a":1,"\\u0061":2}', 'a'],
    ['{"":1,"":2}', ''],
    ['{"a\\"b":1,"a\\"b":2}', 'a"b'],
    ['{"a":[{"b":1}],"c":{"d":[]},"a":0}', 'a'],
  ])('finds the duplicate key in %s', (text, key) => {
    expect(inspectJson(text)).toEqual({ kind: 'duplicate_key', key });
  });

  it.each(['{"__proto__":1}', '{"a":[{"__proto__":{}}]}', '{"\\u005f_proto__":1}'])('finds __proto__ in %s', text => {
    expect(inspectJson(text)).toEqual({ kind: 'forbidden_key', key: '__proto__' });
  });

  it('allows 32 levels and no more, objects and lists alike', () => {
    const lists = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    const objects = (levels: number) => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);
    expect([inspectJson(lists(32)), inspectJson(objects(32))]).toEqual([undefined, undefined]);
    expect([inspectJson(lists(33)), inspectJson(objects(33))]).toEqual([{ kind: 'too_deep' }, { kind: 'too_deep' }]);
    expect(inspectJson(lists(500_000))).toEqual({ kind: 'too_deep' });
  });

  it('allows 1,000 keys in an object and no more, at any depth', () => {
    const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at]));
    for (const wrap of [(value: object): unknown => value, (value: object): unknown => [{ a: value }]]) {
      expect(inspectJson(JSON.stringify(wrap(keys(1_000))))).toBeUndefined();
      expect(inspectJson(JSON.stringify(wrap(keys(1_001))))).toEqual({ kind: 'too_many_keys' });
      expect([hasWideObject(wrap(keys(1_000))), hasWideObject(wrap(keys(1_001)))]).toEqual([false, true]);
    }
    expect(inspectJson(JSON.stringify(Array.from({ length: 5_000 }, () => ({ a: 1 }))))).toBeUndefined();
    expect(hasWideObject(Array.from({ length: 5_000 }, () => 1))).toBe(false);
  });

  it('finds no error in the output of JSON.stringify, unless it is too deep or contains __proto__', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), text => {
        expect(inspectJson(JSON.stringify(JSON.parse(text)))).toEqual(
          text.includes('__proto__') ? inspectJson(text) : undefined,
        );
      }),
    );
  });
});

describe('canonicalJson', () => {
  it('does not depend on the order in which keys were set, at any depth', () => {
    expect(canonicalJson({ b: [{ d: 1, c: 2 }], a: null })).toBe('{"a":null,"b":[{"c":2,"d":1}]}');
    expect(canonicalJson({ a: null, b: [{ c: 2, d: 1 }] })).toBe('{"a":null,"b":[{"c":2,"d":1}]}');
  });

  it('leaves out undefined, as JSON does', () => {
    expect(canonicalJson({ a: undefined, b: 1 })).toBe('{"b":1}');
  });

  it('is JSON of the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('is equal for a value that was serialized and parsed', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        expect(canonicalJson(JSON.parse(JSON.stringify(value)))).toBe(canonicalJson(value));
      }),
    );
  });
});
