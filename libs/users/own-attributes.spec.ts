import { describe, expect, it } from '@jest/globals';
import { ownAttributesDefect } from './own-attributes.js';

const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at]));

describe("an organization's own attributes", () => {
  it.each([
    ['nothing', {}],
    ['texts, numbers, booleans and null', { team: 'red', level: 7, remote: true, manager: null }],
    ['50 attributes', many(50)],
    ['a name of 128 characters', { ['k'.repeat(128)]: '' }],
    ['a text of 1,024 characters', { note: 'x'.repeat(1024) }],
    ['names of properties of every JavaScript object', { constructor: 'x', toString: 'y' }],
  ])('may be %s', (_what, value) => {
    expect(ownAttributesDefect(value)).toBeUndefined();
  });

  it.each([
    ['a list', []],
    ['null', null],
    ['a text', 'x'],
    ['51 attributes', many(51)],
    ['a name of 129 characters', { ['k'.repeat(129)]: 1 }],
    ['an empty name', { '': 1 }],
    ['the name __proto__', JSON.parse('{"__proto__": 1}')],
    ['a text of 1,025 characters', { note: 'x'.repeat(1025) }],
    ['a text with NUL', { note: 'a\0b' }],
    ['a nested list', { tags: ['a'] }],
    ['a nested object', { manager: { name: 'x' } }],
  ])('may not be %s', (_what, value) => {
    expect(ownAttributesDefect(value)).toEqual(expect.any(String));
  });
});
