import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import {
  dimensionsOr,
  DimensionRefusal,
  NO_DIMENSIONS,
  readDimensions,
  tagOf,
  tagsText,
  TAGS_MAX,
} from './dimensions.js';

const keys = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_./:-]{0,62}$/);
const tags = fc.dictionary(keys, fc.constantFrom('search', 'ads', 'Ünïcode 🚀'), { minKeys: 1, maxKeys: TAGS_MAX });

describe('readDimensions', () => {
  it('returns the project and the tags if both are valid', () => {
    expect(readDimensions('copilot', { team: 'search', 'cost.center/eu': '4711' })).toEqual({
      project: 'copilot',
      tags: { 'cost.center/eu': '4711', team: 'search' },
    });
  });

  it.each([
    [undefined, undefined],
    [null, null],
    [undefined, {}],
  ])('returns no dimensions if the project is %j and the tags are %j', (project, given) => {
    expect(readDimensions(project, given)).toBe(NO_DIMENSIONS);
  });

  it.each<[string, unknown, unknown, string]>([
    ['a number as project', 7, null, 'project'],
    ['a blank project', ' ', null, 'project'],
    ['an empty project', '', null, 'project'],
    ['a project of 256 characters', 'a'.repeat(256), null, 'project'],
    ['a project with a line break', 'a\nb', null, 'project'],
    ['a project with half a surrogate pair', '\ud800', null, 'project'],
    ['a list as tags', null, ['a'], 'tags'],
    ['a text as tags', null, 'team=search', 'tags'],
    ['nine tags', null, Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`k${n}`, 'x'])), 'tags'],
    ['a key with a space', null, { 'my team': 'x' }, 'tags'],
    ['a key of the object prototype', null, JSON.parse('{"__proto__": "x"}'), 'tags'],
    ['a key of 64 characters', null, { ['k'.repeat(64)]: 'x' }, 'tags'],
    ['a number as value', null, { team: 4 }, 'tags.team'],
    ['null as value', null, { team: null }, 'tags.team'],
    ['an empty value', null, { team: '' }, 'tags.team'],
    ['a value with NUL', null, { team: 'a\0' }, 'tags.team'],
  ])('refuses %s and names the field', (_what, project, given, field) => {
    const read = readDimensions(project, given);
    expect(read).toBeInstanceOf(DimensionRefusal);
    expect(read).toMatchObject({ field, message: expect.stringMatching(/must|has/) });
  });

  it('gives equal tags the same text if their keys come in another order', () => {
    fc.assert(
      fc.property(tags, given => {
        const turned = Object.fromEntries(Object.entries(given).toReversed());
        expect(tagsText(turned)).toBe(tagsText(given));
        expect(JSON.parse(tagsText(given) ?? '')).toEqual(given);
      }),
    );
  });
});

describe('tagOf', () => {
  it('finds no tag if the key is a property of every object', () => {
    expect(tagOf({ team: 'search' }, 'constructor')).toBeUndefined();
    expect(tagOf({ team: 'search' }, 'team')).toBe('search');
    expect(tagOf(null, 'team')).toBeUndefined();
  });
});

describe('dimensionsOr', () => {
  it("uses the decision's values if the event has none", () => {
    const decided = { project: 'copilot', tags: { team: 'search' } };
    expect(dimensionsOr(NO_DIMENSIONS, decided)).toEqual(decided);
    expect(dimensionsOr({ project: 'chat', tags: null }, decided)).toEqual({ ...decided, project: 'chat' });
    expect(dimensionsOr({ project: null, tags: { app: 'x' } }, decided)).toEqual({ ...decided, tags: { app: 'x' } });
  });
});
