import { describe, expect, it } from '@jest/globals';
import type { DirectoryUser } from '#core';
import { personNow } from './explained-person.js';
import type { ExplainedPerson } from './explanation.js';

const KNOWN = { email: 'ada@example.com', name: 'Ada', department: 'Sales', role: 'member', status: 'active' } as const;

function changed(then: ExplainedPerson['attributes'], now: DirectoryUser['attributes']): readonly string[] | undefined {
  const user: DirectoryUser = { id: 'ada', ...KNOWN, attributes: now };
  return personNow(user, { user_id: 'ada', ...KNOWN, attributes: then })?.changed;
}

describe('the current user in the directory', () => {
  it('differs in an added, changed or removed attribute', () => {
    expect(changed({ level: 1, team: 'red', left: true }, { left: true, level: 2, site: 'Bonn' })).toEqual([
      'attributes.level',
      'attributes.site',
      'attributes.team',
    ]);
  });

  it('does not differ if all attributes are equal, in any order', () => {
    expect(changed({ level: 1, groups: { a: 1, b: 2 } }, { groups: { b: 2, a: 1 }, level: 1 })).toEqual([]);
  });

  it('distinguishes a null attribute from a missing one', () => {
    expect(changed({ level: null }, {})).toEqual(['attributes.level']);
  });

  it('ignores properties that every object inherits', () => {
    expect(changed({ constructor: 'x' }, {})).toEqual(['attributes.constructor']);
  });
});
