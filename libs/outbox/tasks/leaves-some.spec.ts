import { describe, expect, it } from '@jest/globals';
import { leasedTask } from '../testing/replica.js';
import { leavesSome } from './leaves-some.js';

const OTHERS = 2;

function claimOf(...keys: string[]) {
  return { tasks: keys.map(key => leasedTask({ key })), contended: false, isCutShort: false };
}

describe('a claim', () => {
  it.each([
    ['returned as many tasks as requested', claimOf('a', 'b'), 2, []],
    ['returned so many tasks that other workers may have locked others', claimOf('a', 'b', 'c', 'd'), 9, []],
    ['did not examine all keys', { ...claimOf('a'), isCutShort: true }, 9, []],
    ['returned as many tasks of a key as the default allows', claimOf('a', 'b', 'b'), 9, []],
    ['returned as many tasks of a key as the allowance of the key permits', claimOf('a', 'a', 'a'), 9, [['a', 3]]],
    ['was allowed no task of a key', claimOf('b'), 9, [['a', 0]]],
  ] as const)('that %s may have left due tasks', (_, claim, want, allowances) => {
    expect(leavesSome(claim, want, OTHERS, new Map(allowances))).toBe(true);
  });

  it.each([
    ['returned nothing', claimOf(), []],
    ['returned fewer tasks than requested, and fewer than allowed of each key', claimOf('a', 'a', 'b'), [['a', 3]]],
  ] as const)('that %s has left no due task', (_, claim, allowances) => {
    expect(leavesSome(claim, 9, OTHERS, new Map(allowances))).toBe(false);
  });
});
