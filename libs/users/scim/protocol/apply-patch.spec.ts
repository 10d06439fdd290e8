import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '#core';
import { USER_SCHEMA } from '../schemas/user.schema.js';
import { applyPatch } from './apply-patch.js';
import { readPatch } from './patch-request.js';
import { ScimError } from './scim-error.js';
import { ENTERPRISE_URN, PATCH_URN } from './urns.js';

const WORK = { type: 'work', value: 'w@x.com', primary: true };
const HOME = { type: 'home', value: 'h@x.com' };
const USER: JsonObject = {
  userName: 'u',
  name: { givenName: 'Ada', familyName: 'L' },
  emails: [WORK, HOME],
  [ENTERPRISE_URN]: { department: 'R', manager: { value: 'm', displayName: 'M' } },
};

const after = (...operations: object[]): JsonObject =>
  applyPatch(USER, readPatch(USER_SCHEMA, { schemas: [PATCH_URN], Operations: operations }));

describe('a PATCH', () => {
  it('does not change the given resource', () => {
    const before = structuredClone(USER);
    after({ op: 'remove', path: 'emails' }, { op: 'replace', path: 'name.givenName', value: 'X' });
    expect(USER).toEqual(before);
  });

  it('applies operations in their order', () => {
    const { title } = after(
      { op: 'add', path: 'title', value: 'first' },
      { op: 'replace', path: 'title', value: 'second' },
    );
    expect(title).toBe('second');
  });

  it('adds to a list only missing values', () => {
    expect(after({ op: 'add', path: 'emails', value: [HOME, { value: 'n@x.com' }] })['emails']).toEqual([
      WORK,
      HOME,
      { value: 'n@x.com' },
    ]);
  });

  it('replaces a list as a whole', () => {
    expect(after({ op: 'replace', path: 'emails', value: [{ value: 'n@x.com' }] })['emails']).toEqual([
      { value: 'n@x.com' },
    ]);
  });

  it('removes the primary mark of the other values', () => {
    const { emails } = after({ op: 'add', path: 'emails', value: [{ value: 'n@x.com', primary: true }] });
    expect(emails).toEqual([{ type: 'work', value: 'w@x.com' }, HOME, { value: 'n@x.com', primary: true }]);
    expect(after({ op: 'replace', path: 'emails[type eq "home"].primary', value: true })['emails']).toEqual([
      { type: 'work', value: 'w@x.com' },
      { ...HOME, primary: true },
    ]);
  });

  it('replaces the selected value as a whole, and adds to it part by part', () => {
    const value = { value: 'n@x.com' };
    expect(after({ op: 'replace', path: 'emails[type eq "home"]', value })['emails']).toEqual([WORK, value]);
    expect(after({ op: 'add', path: 'emails[type eq "home"]', value })['emails']).toEqual([
      WORK,
      { ...HOME, ...value },
    ]);
  });

  it('changes a part of every value if none is selected', () => {
    expect(after({ op: 'replace', path: 'emails.display', value: 'D' })['emails']).toEqual([
      { ...WORK, display: 'D' },
      { ...HOME, display: 'D' },
    ]);
  });

  it('changes only the given parts of a name', () => {
    expect(after({ op: 'replace', path: 'name', value: { givenName: 'Eve' } })['name']).toEqual({
      givenName: 'Eve',
      familyName: 'L',
    });
  });

  it('removes attributes, parts, selected values, and values of a list', () => {
    expect(after({ op: 'remove', path: 'name.givenName' })['name']).toEqual({ familyName: 'L' });
    expect(after({ op: 'remove', path: 'name' })['name']).toBeUndefined();
    expect(after({ op: 'remove', path: 'emails[primary eq true]' })['emails']).toEqual([HOME]);
    expect(after({ op: 'remove', path: 'emails', value: [{ value: 'h@x.com' }] })['emails']).toEqual([WORK]);
    expect(after({ op: 'remove', path: 'emails[value sw "nobody"]' })['emails']).toEqual([WORK, HOME]);
    expect(after({ op: 'remove', path: ENTERPRISE_URN })[ENTERPRISE_URN]).toBeUndefined();
  });

  it('removes values that are replaced by null or blank', () => {
    for (const value of [null, '', '  ']) {
      const patched = after({ op: 'replace', path: `${ENTERPRISE_URN}:department`, value });
      expect(patched[ENTERPRISE_URN]).toEqual({ manager: { value: 'm', displayName: 'M' } });
    }
  });

  it('selects values ignoring case and the encoding of accents', () => {
    const [name, typed] = ['Jos\u00e9@x.com', 'JOSE\u0301@x.com'];
    const added = { op: 'add', path: 'emails', value: [{ value: name }] };
    expect(after(added, { op: 'remove', path: `emails[value eq "${typed}"]` })['emails']).toEqual([WORK, HOME]);
  });

  it.each([
    ['removed', { op: 'remove', path: 'userName' }],
    ['replaced by null', { op: 'replace', path: 'userName', value: null }],
    ['replaced by a blank without a path', { op: 'replace', value: { userName: ' ' } }],
  ])('is refused if a required attribute would be %s (RFC 7644, section 3.5.2.2)', (_words, operation) => {
    expect(() => after(operation)).toThrow(expect.objectContaining({ name: 'ScimError', scimType: 'mutability' }));
  });

  it('selects values with at most a thousand comparisons, over all its operations', () => {
    const choosing = (count: number) =>
      Array.from({ length: count / 50 }, () => ({
        op: 'remove',
        path: `emails[${Array.from({ length: 50 }, (_, n) => `value eq "${n}"`).join(' or ')}]`,
      }));
    expect(after(...choosing(1_000))['emails']).toEqual([WORK, HOME]);
    expect(() => after(...choosing(1_050))).toThrow(ScimError);
    expect(() => after(...choosing(1_050))).toThrow(expect.objectContaining({ scimType: 'tooMany' }));
  });

  it('keeps extensions if one attribute changes', () => {
    expect(after({ op: 'replace', value: { [ENTERPRISE_URN]: { costCenter: 'C' } } })[ENTERPRISE_URN]).toEqual({
      department: 'R',
      manager: { value: 'm', displayName: 'M' },
      costCenter: 'C',
    });
  });
});
