import { describe, expect, it } from '@jest/globals';
import { newId } from '#core';
import { leavesSome } from './leaves-some.js';
import type { Task } from './task.js';

const OTHERS = 2;

function claimOf(...keys: string[]) {
  const tasks = keys.map((key): Task => {
    const claim = { attempt: 1, interruptions: 0, interruptedAt: null, subject: {}, dueAt: '2026-11-20 12:00:00+00' };
    return Object.assign(claim, { orgId: newId(), id: newId(), key, leaseToken: newId() });
  });
  return { tasks, contended: false, isCutShort: false };
}

describe('a claim', () => {
  it.each([
    ['brought as many as were wanted', claimOf('a', 'b'), 2, []],
    ['brought many, beside which other workers may have locked some', claimOf('a', 'b', 'c', 'd'), 9, []],
    ['looked at a part of the keys', { ...claimOf('a'), isCutShort: true }, 9, []],
    ['brought as many of a key as it may have', claimOf('a', 'b', 'b'), 9, []],
    ['brought as many of a key as it may have that has slots of its own', claimOf('a', 'a', 'a'), 9, [['a', 3]]],
    ['could bring none of a key', claimOf('b'), 9, [['a', 0]]],
  ] as const)('that %s may have left some', (_, claim, want, allowances) => {
    expect(leavesSome(claim, want, OTHERS, new Map(allowances))).toBe(true);
  });

  it.each([
    ['nothing', claimOf(), []],
    ['less than was wanted, of each key less than it may have', claimOf('a', 'a', 'b'), [['a', 3]]],
  ] as const)('that brought %s has left nothing', (_, claim, allowances) => {
    expect(leavesSome(claim, 9, OTHERS, new Map(allowances))).toBe(false);
  });
});
