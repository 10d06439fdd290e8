import { describe, expect, it } from '@jest/globals';
import { departmentOf } from './department-rule.js';

describe('the department', () => {
  it.each([
    // Columns: attribute, group, assigned before, department now; expected department, expected assigned.
    ['is the attribute if it exists, whatever the group', 'A', 'G', null, null, 'A', 'A'],
    ['is the group if there is no attribute', null, 'G', null, 'by hand', 'G', 'G'],
    ['is removed with the last of its sources', null, null, 'G', 'G', null, null],
    ['stays as it was set by hand after the last change of a source', null, null, 'G', 'by hand', 'by hand', null],
    ['stays if no source ever had a value', null, null, null, 'by hand', 'by hand', null],
    ['stays empty if it was removed by hand', null, null, 'G', null, null, null],
    ['follows the group again after the attribute was removed', null, 'G', 'A', 'A', 'G', 'G'],
  ])('%s', (_rule, attribute, group, assigned, current, department, remembered) => {
    expect(departmentOf({ attribute, group, assigned, current })).toEqual({ department, assigned: remembered });
  });
});
