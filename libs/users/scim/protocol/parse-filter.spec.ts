import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { USER_SCHEMA } from '../schemas/user.schema.js';
import type { Filter } from './filter.js';
import { parseFilter, parsePath } from './parse-filter.js';
import { pathOf } from './resource-schema.js';
import { ScimError } from './scim-error.js';
import { ENTERPRISE_URN } from './urns.js';

/** A filter in words, with all brackets that it means. */
function words(filter: Filter): string {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return `(${filter.parts.map(words).join(` ${filter.kind} `)})`;
    case 'not':
      return `not ${words(filter.part)}`;
    case 'present':
      return `${pathOf(filter.ref)} pr`;
    case 'some':
      return `${pathOf(filter.ref)}[${words(filter.filter)}]`;
    case 'compare':
      return `${pathOf(filter.ref)} ${filter.how} ${JSON.stringify(filter.operand)}`;
  }
}

const read = (text: string): string => words(parseFilter(USER_SCHEMA, text));
const refusal = (act: () => unknown): ScimError => {
  try {
    act();
  } catch (error) {
    if (error instanceof ScimError) return error;
    throw error;
  }
  throw new Error('was not refused');
};

describe('a filter', () => {
  it.each([
    ['title pr or nickName pr and active eq true', '(title pr or (nickName pr and active eq true))'],
    ['title pr and nickName pr or active eq true', '((title pr and nickName pr) or active eq true)'],
    ['(title pr or nickName pr) and active eq true', '((title pr or nickName pr) and active eq true)'],
    ['title pr and nickName pr and locale pr', '(title pr and nickName pr and locale pr)'],
    ['not (title pr) and nickName pr', '(not title pr and nickName pr)'],
    ['NOT(title pr OR nickName PR)', 'not (title pr or nickName pr)'],
    ['emails[type eq "work" and value co "@x"]', 'emails[(type eq "work" and value co "@x")]'],
    ['emails[type eq "work"].value eq "a"', 'emails[(type eq "work" and value eq "a")]'],
    ['emails eq "a"', 'emails.value eq "a"'],
    ['EMAILS.VALUE Eq "a"', 'emails.value eq "a"'],
    [`${ENTERPRISE_URN}:department eq "x"`, `${ENTERPRISE_URN}:department eq "x"`],
    ['urn:ietf:params:scim:schemas:core:2.0:User:name.givenName sw "A"', 'name.givenName sw "A"'],
    ['active eq "True"', 'active eq true'],
    ['title eq null', 'title eq null'],
    ['title eq "a\\\\"', 'title eq "a\\\\"'],
    ['title eq "\\u0041\\"\\n"', 'title eq "A\\"\\n"'],
    ['title eq "not (a) and [b]"', 'title eq "not (a) and [b]"'],
  ])('%s means %s', (text, meaning) => {
    expect(read(text)).toBe(meaning);
  });

  it('may not nest deeper than 20 levels, however deep it is', () => {
    const nested = (depth: number): string => `${'('.repeat(depth)}title pr${')'.repeat(depth)}`;
    expect(read(nested(20))).toBe('title pr');
    expect(refusal(() => read(nested(21))).message).toMatch(/nests deeper than 20 levels/);
    expect(refusal(() => read(nested(4_000))).scimType).toBe('invalidFilter');
  });

  it('is read or refused, whatever it is', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        ...['title', 'emails', 'active', 'pr', 'eq', 'co', 'and', 'or', 'not', '(', ')', '[', ']', '.value'],
      ),
      fc.constantFrom('"a"', '"\\', '"', '1', '-', 'true', 'null', 'urn:', '$ref', '\0', '__proto__'),
      fc.string({ maxLength: 5 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.constantFrom('', ' '), (pieces, between) => {
        const text = pieces.join(between);
        for (const parse of [parseFilter, parsePath]) {
          try {
            parse(USER_SCHEMA, text);
          } catch (error) {
            expect(error).toBeInstanceOf(ScimError);
          }
        }
      }),
    );
  });
});

describe('a path', () => {
  it.each([
    ['title', 'title', undefined],
    ['NAME.givenname', 'name.givenName', undefined],
    [`${ENTERPRISE_URN}:manager.value`, `${ENTERPRISE_URN}:manager.value`, undefined],
    ['emails[type eq "work"]', 'emails', 'type eq "work"'],
    ['emails[type eq "work" and primary eq true].value', 'emails.value', '(type eq "work" and primary eq true)'],
  ])('%s names %s', (path, name, chosen) => {
    const target = parsePath(USER_SCHEMA, path);
    expect(target && pathOf(target.ref)).toBe(name);
    expect(target?.chosen && words(target.chosen)).toBe(chosen);
  });

  it('may name what is not kept, to no effect', () => {
    for (const path of ['password', 'roles[primary eq "True"].value', 'photos']) {
      expect(parsePath(USER_SCHEMA, path)).toBeUndefined();
    }
  });
});
