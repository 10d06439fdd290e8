import { describe, expect, it } from '@jest/globals';
import { departmentOf } from './department-rule.js';

describe('the department', () => {
  it.each([
    // attribute, group, assigned before, department now → department, assigned
    ['is the attribute, before any group', 'A', 'G', null, null, 'A', 'A'],
    ['is the group, without an attribute', null, 'G', null, 'by hand', 'G', 'G'],
    ['goes with the last of its sources', null, null, 'G', 'G', null, null],
    ['stays where it was set by hand since', null, null, 'G', 'by hand', 'by hand', null],
    ['stays where no source has ever said anything', null, null, null, 'by hand', 'by hand', null],
    ['stays away where somebody has removed it by hand', null, null, 'G', null, null, null],
    ['follows the group again after the attribute has gone', null, 'G', 'A', 'A', 'G', 'G'],
  ])('%s', (_rule, attribute, group, assigned, current, department, remembered) => {
    expect(departmentOf({ attribute, group, assigned, current })).toEqual({ department, assigned: remembered });
  });
});
