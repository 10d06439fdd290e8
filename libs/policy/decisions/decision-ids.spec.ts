import { describe, expect, it } from '@jest/globals';
import { isUuid } from '#core';
import { DecisionIds } from './decision-ids.js';

describe('ids of decisions', () => {
  it('are UUIDs of version 7 with the time in front', () => {
    const id = new DecisionIds().next(new Date(0x0123456789ab));
    expect(isUuid(id)).toBe(true);
    expect(id).toMatch(/^01234567-89ab-7[0-9a-f]{3}-[89ab]/);
  });

  it('grow within a millisecond and over milliseconds, beyond one draw of randomness', () => {
    const ids = new DecisionIds();
    const made = Array.from({ length: 3_000 }, (_, at) => ids.next(new Date(1_000 + Math.floor(at / 1_500))));
    expect(made.toSorted()).toEqual(made);
    expect(new Set(made).size).toBe(made.length);
  });

  it('differ between processes that begin in the same millisecond', () => {
    expect(new DecisionIds().next(new Date(0))).not.toBe(new DecisionIds().next(new Date(0)));
  });
});
