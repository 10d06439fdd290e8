import { describe, expect, it } from '@jest/globals';
import { isUuid } from '#core';
import { DecisionIds, isChosen, timeOf } from './decision-ids.js';

describe('ids of decisions', () => {
  it('are UUIDs of version 7 that begin with the time', () => {
    const id = new DecisionIds().next(new Date(0x0123456789ab));
    expect(isUuid(id)).toBe(true);
    expect(id).toMatch(/^01234567-89ab-7[0-9a-f]{3}-[89ab]/);
  });

  it('grow within a millisecond and over milliseconds, also beyond one batch of random bits', () => {
    const ids = new DecisionIds();
    const made = Array.from({ length: 3_000 }, (_, at) => ids.next(new Date(1_000 + Math.floor(at / 1_500))));
    expect(made.toSorted()).toEqual(made);
    expect(new Set(made).size).toBe(made.length);
  });

  it('differ between processes that start in the same millisecond', () => {
    expect(new DecisionIds().next(new Date(0))).not.toBe(new DecisionIds().next(new Date(0)));
  });
});

describe('a sample of decisions', () => {
  const ids = new DecisionIds();
  // Many ids share a millisecond, and there are many milliseconds, so the result depends only on the random bits.
  const made = Array.from({ length: 20_000 }, (_, at) => ids.next(new Date(1_700_000_000_000 + Math.floor(at / 50))));
  const chosen = (share: number) => made.filter(id => isChosen(id, share));

  it.each([0.01, 0.1, 0.5, 0.9])('with a share of %d contains that share of the decisions', share => {
    // Five standard deviations: a correct implementation fails once in two million runs.
    const tolerance = 5 * Math.sqrt(made.length * share * (1 - share));
    expect(Math.abs(chosen(share).length - made.length * share)).toBeLessThan(tolerance);
  });

  it('has none for 0 and all for 1', () => {
    expect([chosen(0).length, chosen(1).length]).toEqual([0, made.length]);
    expect([isChosen('00000000-0000-7000-8000-000000000000', 0), isChosen('…-ffffffffffff', 1)]).toEqual([false, true]);
  });

  it('includes every smaller sample, whoever selects', () => {
    const larger = new Set(chosen(0.5));
    expect(chosen(0.1).every(id => larger.has(id))).toBe(true);
    expect(chosen(0.1)).toEqual(chosen(0.1));
  });

  it('does not depend on the time or the position within a millisecond', () => {
    const places = chosen(0.5).map(id => made.indexOf(id) % 50);
    const early = places.filter(place => place < 25).length;
    expect(Math.abs(early - places.length / 2)).toBeLessThan(5 * Math.sqrt(places.length / 4));
  });
});

describe('the time of an id', () => {
  it('is the millisecond of its creation', () => {
    expect(timeOf(new DecisionIds().next(new Date(1_763_000_123_456)))).toBe(1_763_000_123_456);
  });
});
