import { describe, expect, it } from '@jest/globals';
import { RecentResends } from './recent-resends.js';

const at = (ms: number) => new Date(Date.UTC(2026, 10, 20, 12) + ms);

describe('organizations that send events again', () => {
  it('are remembered for a minute after the last repetition', () => {
    const resends = new RecentResends();
    expect(resends.has('a', at(0))).toBe(false);
    resends.note('a', at(0));
    resends.note('a', at(30_000));
    expect(resends.has('a', at(89_999))).toBe(true);
    expect(resends.has('a', at(90_000))).toBe(false);
    expect(resends.has('b', at(30_000))).toBe(false);
  });

  it('are at most 10,000; the one whose last repetition is the oldest is dropped first', () => {
    const resends = new RecentResends();
    for (let n = 0; n < 10_000; n++) resends.note(`org-${n}`, at(n));
    resends.note('org-0', at(10_000));
    resends.note('one more', at(10_001));
    expect(['org-0', 'org-1', 'org-2', 'one more'].map(org => resends.has(org, at(10_001)))).toEqual([
      true,
      false,
      true,
      true,
    ]);
  });
});
