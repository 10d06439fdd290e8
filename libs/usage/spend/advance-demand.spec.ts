import { describe, expect, it } from '@jest/globals';
import { AdvanceDemand } from './advance-demand.js';

/** The demand after this many requests of ten picodollars each, all at the same time. */
function demandOf(requests: number, now = 0): AdvanceDemand {
  const demand = new AdvanceDemand();
  for (let n = 0; n < requests; n++) demand.note(10n, now);
  return demand;
}

describe('the demand for an advance', () => {
  it('counts as busy from 20 requests within a second on', () => {
    expect(demandOf(19).isBusy).toBe(false);
    expect(demandOf(20).isBusy).toBe(true);
  });

  it('counts as busy for another second, and no longer', () => {
    const demand = demandOf(20);
    demand.note(10n, 1_999);
    expect(demand.isBusy).toBe(true);
    demand.note(10n, 2_000);
    expect(demand.isBusy).toBe(false);
    expect(demandOf(20).isBusy).toBe(true);
  });

  it('requests the amount of one second, and at most a two-hundredth of the smallest budget', () => {
    expect(demandOf(30).sizeWithin(1_000_000n, 10n)).toBe(300n);
    expect(demandOf(30).sizeWithin(20_000n, 10n)).toBe(100n);
    const demand = demandOf(30);
    demand.note(10n, 1_000);
    expect(demand.sizeWithin(1_000_000n, 10n)).toBe(300n);
  });

  it('requests nothing if fewer than eight requests fit, or if they cost nothing', () => {
    expect(demandOf(30).sizeWithin(16_000n, 10n)).toBe(80n);
    expect(demandOf(30).sizeWithin(15_999n, 10n)).toBeUndefined();
    const free = new AdvanceDemand();
    for (let n = 0; n < 30; n++) free.note(0n, 0);
    expect(free.sizeWithin(1_000_000n, 0n)).toBeUndefined();
  });
});
