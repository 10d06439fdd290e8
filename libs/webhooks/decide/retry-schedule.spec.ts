import { describe, expect, it } from '@jest/globals';
import { delayBefore, MAX_ATTEMPTS, outcomeOf, type AttemptOutcome, type AttemptTrigger } from './index.js';

describe('the retry schedule', () => {
  it.each([
    [1, 0],
    [2, 1000],
    [3, 5000],
    [4, 30_000],
    [5, 300_000],
  ])('makes attempt %d after %d ms', (attempt, delay) => {
    expect(delayBefore(attempt)).toBe(delay);
  });

  it('makes five attempts, and has no delay for any other', () => {
    expect(MAX_ATTEMPTS).toBe(5);
    for (const attempt of [0, 6, 1.5, -1, Number.NaN]) expect(() => delayBefore(attempt)).toThrow(/attempts 1 to 5/);
  });

  it.each<[number, AttemptTrigger, boolean, AttemptOutcome]>([
    [1, 'schedule', true, 'delivered'],
    [5, 'schedule', true, 'delivered'],
    [6, 'manual', true, 'delivered'],
    [6, 'recovery', true, 'delivered'],
    [1, 'schedule', false, { retryAfterMs: 1000 }],
    [2, 'schedule', false, { retryAfterMs: 5000 }],
    [3, 'schedule', false, { retryAfterMs: 30_000 }],
    [4, 'schedule', false, { retryAfterMs: 300_000 }],
    [5, 'schedule', false, 'failed'],
    [6, 'manual', false, 'failed'],
    [7, 'recovery', false, 'failed'],
    // A manual or recovery attempt is not part of the schedule, so its number does not matter.
    [2, 'manual', false, 'failed'],
    [4, 'recovery', false, 'failed'],
  ])('after attempt %d (%s), success %s: %j', (number, trigger, succeeded, outcome) => {
    expect(outcomeOf({ number, trigger, succeeded })).toEqual(outcome);
  });
});
