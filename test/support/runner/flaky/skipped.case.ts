import { expect, it } from '@jest/globals';
import { describeWhere } from '../../describe-where.js';

describeWhere('no machine has it', 'tests that need something', () => {
  it('are skipped', () => {
    expect(1).toBe(2);
  });
});
