import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { ApprovalTerms } from './approval-terms.js';

const NOW = new Date('2026-11-20T12:00:00.000Z');
const DAY_MS = 24 * 60 * 60 * 1000;
const inDays = (days: number, more = 0) => new Date(NOW.getTime() + days * DAY_MS + more);
const terms = (options = {}) => new ApprovalTerms(options, new ManualClock(NOW));

describe('the end of a grant', () => {
  it('is a day later if none is given, or the default of the options', () => {
    expect(terms().endOfGrant(undefined, NOW)).toEqual(inDays(1));
    expect(terms({ defaultHours: 72 }).endOfGrant(undefined, NOW)).toEqual(inDays(3));
  });

  it('is in the future, at most 90 days away', () => {
    for (const good of [inDays(0, 1), inDays(90)]) expect(terms().endOfGrant(good, NOW)).toBe(good);
    for (const bad of [NOW, inDays(-1), inDays(90, 1), new Date(Number.NaN)]) {
      expect(() => terms().endOfGrant(bad, NOW)).toThrow(/^expires_at: must/);
    }
  });
});

describe('an undecided request', () => {
  it('expires after seven days, or the time of the options', () => {
    expect(terms().endOfRequest(NOW)).toEqual(inDays(7));
    expect(terms({ pendingDays: 1 }).endOfRequest(NOW)).toEqual(inDays(1));
  });
});
