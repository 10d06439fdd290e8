import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '#core';
import { USER_SCHEMA } from '../schemas/user.schema.js';
import { project, readProjection, shows } from './projection.js';
import { ENTERPRISE_URN, USER_URN } from './urns.js';
import { isSameVersion } from './version.js';

const USER: JsonObject = {
  schemas: [USER_URN],
  id: '1',
  userName: 'u',
  title: 'T',
  name: { givenName: 'A', familyName: 'B' },
  emails: [{ value: 'v', type: 'work' }, { value: 'w' }],
  [ENTERPRISE_URN]: { department: 'D', division: 'V' },
};

const only = (attributes: unknown) => project(readProjection(USER_SCHEMA, attributes, undefined), USER);
const without = (excluded: unknown) => project(readProjection(USER_SCHEMA, undefined, excluded), USER);

describe('an answer', () => {
  it('has only the requested attributes, and always the id', () => {
    expect(only('USERNAME, name.givenName,emails.type')).toEqual({
      schemas: [USER_URN],
      id: '1',
      userName: 'u',
      name: { givenName: 'A' },
      emails: [{ type: 'work' }, {}],
    });
    expect(only([`${ENTERPRISE_URN}:division`])).toEqual({
      schemas: [USER_URN],
      id: '1',
      [ENTERPRISE_URN]: { division: 'V' },
    });
    expect(only(ENTERPRISE_URN)).toMatchObject({ [ENTERPRISE_URN]: { department: 'D', division: 'V' } });
    expect(only('name.givenName,name.familyName')).toMatchObject({ name: { givenName: 'A', familyName: 'B' } });
  });

  it('has all but the excluded attributes, and always the id', () => {
    expect(without(`id,title,emails.type,${ENTERPRISE_URN}:department,nothing`)).toEqual({
      schemas: [USER_URN],
      id: '1',
      userName: 'u',
      name: { givenName: 'A', familyName: 'B' },
      emails: [{ value: 'v' }, { value: 'w' }],
      [ENTERPRISE_URN]: { division: 'V' },
    });
  });

  it('does not have to be computed completely', () => {
    expect(shows(readProjection(USER_SCHEMA, undefined, 'groups'), 'groups')).toBe(false);
    expect(shows(readProjection(USER_SCHEMA, 'userName', undefined), 'groups')).toBe(false);
    expect(shows(readProjection(USER_SCHEMA, 'groups.display', undefined), 'groups')).toBe(true);
    expect(shows({}, 'groups')).toBe(true);
  });
});

describe('a version', () => {
  it.each([
    ['W/"1"', true],
    ['"1"', true],
    ['1', true],
    ['*', true],
    ['W/"2", W/"1"', true],
    ['W/"2"', false],
    ['W/"11"', false],
    ['', false],
  ])('W/"1" matches %j: %j', (header, isAmong) => {
    expect(isSameVersion(header, 'W/"1"')).toBe(isAmong);
  });
});
