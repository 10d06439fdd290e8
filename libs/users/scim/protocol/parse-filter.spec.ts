import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { USER_SCHEMA } from '../schemas/user.schema.js';
import type { Filter } from './filter.js';
import { parseFilter, parsePath } from './parse-filter.js';
import { pathOf } from './resource-schema.js';
import { ScimError } from './scim-error.js';
import { ENTERPRISE_URN } from './urns.js';

/** Writes a filter as text, with all brackets that its precedence implies. */
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

/** Names of properties that every plain object inherits. */
const INHERITED = ['constructor', 'toString', 'valueOf', 'hasOwnProperty', '__proto__', 'isPrototypeOf'];

describe('a filter', () => {
  it.each(INHERITED)('refuses %s as a boolean value or as a keyword', word => {
    for (const text of [
      `active eq "${word}"`,
      `active eq ${word}`,
      `title eq ${word}`,
      `emails[primary ne "${word}"]`,
    ]) {
      expect(refusal(() => read(text)).scimType).toBe('invalidFilter');
    }
    for (const text of [`${word} eq "a"`, `name.${word} pr`, `emails[${word} eq "a"]`, `title ${word} "a"`]) {
      expect(refusal(() => read(text)).scimType).toBe('invalidFilter');
    }
  });

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

  it.each([
    ['a parenthesis in quotation marks', 'not "(" userName pr)'],
    ['an attribute name in quotation marks', 'emails[type eq "work"]."value" eq "x"'],
    ['a text as a time', 'meta.created gt "hello 5"'],
    ['a number as a time', 'meta.created gt "1"'],
    ['a day without a time', 'meta.created gt "2026-11-20"'],
    ['a day that does not exist', 'meta.created gt "2026-02-30T00:00:00Z"'],
    ['a year beyond 9999', 'meta.created gt "+275760-09-13T00:00:00.000Z"'],
    ['a time that is in a year beyond 9999 in UTC', 'meta.created gt "9999-12-31T23:59:59-14:00"'],
    ['the year 0', 'meta.created eq "0000-01-01T00:00:00Z"'],
    ['a time that is before year 1 in UTC', 'meta.created eq "0001-01-01T00:00:00+14:00"'],
    ['an unknown part of an attribute that is not stored', 'ims.nothing eq "x"'],
    ['an invalid value filter of an attribute that is not stored', 'ims[type eq "xmpp"'],
    ['a text for a boolean that is not stored', 'photos[primary eq "perhaps"]'],
  ])('is refused for %s', (_words, text) => {
    expect(refusal(() => read(text)).scimType).toBe('invalidFilter');
  });

  it.each([
    ['2011-05-13T04:42:34Z', '2011-05-13T04:42:34.000Z'],
    ['2026-11-20T13:00:00.25+01:00', '2026-11-20T12:00:00.250Z'],
    // A time without a time zone is in UTC, regardless of the server's own time zone.
    ['2026-11-20T12:00:00', '2026-11-20T12:00:00.000Z'],
  ])('reads %s as the time %s', (given, instant) => {
    expect(read(`meta.created gt "${given}"`)).toBe(`meta.created gt "${instant}"`);
  });

  it('may use standard attributes that this server does not store', () => {
    expect(read('ims[type eq "xmpp" and value co "@foo.com"]')).toBe('ims[(type eq "xmpp" and value co "@foo.com")]');
    expect(read('schemas eq "urn:x"')).toBe('schemas eq "urn:x"');
    expect(parseFilter(USER_SCHEMA, 'photos pr')).toMatchObject({ ref: { absent: true } });
  });

  it('may not nest more than 20 levels, however deep it is', () => {
    const nested = (depth: number): string => `${'('.repeat(depth)}title pr${')'.repeat(depth)}`;
    expect(read(nested(20))).toBe('title pr');
    expect(refusal(() => read(nested(21))).message).toMatch(/nests deeper than 20 levels/);
    expect(refusal(() => read(nested(4_000))).scimType).toBe('invalidFilter');
  });

  it('is read or refused, and causes no other error, whatever its text', () => {
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

  it('may name an attribute that is not stored', () => {
    for (const path of ['password', 'roles[primary eq "True"].value', 'photos']) {
      expect(parsePath(USER_SCHEMA, path).ref).toMatchObject({ absent: true });
    }
  });

  it.each(['ims[((((', 'ims[type eq "xmpp"', 'ims.nothing', 'emails[type eq "work"]."value"', 'password.value'])(
    'is refused if it cannot be read: %s',
    path => {
      expect(refusal(() => parsePath(USER_SCHEMA, path)).scimType).toBe('invalidPath');
    },
  );
});
