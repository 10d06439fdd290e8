import { describe, expect, it } from '@jest/globals';
import { excess, NO_BAND, widened } from './band.js';

const SETTINGS = { warmUp: 3, maturity: 0, tolerance: 0, watchesLows: true };
const band = [0, 10, 5].reduce((before, value) => widened(before, value, 0), NO_BAND);

describe('a band', () => {
  it('measures how far a value is outside, in multiples of its width', () => {
    expect([-5, 0, 10, 15].map(value => excess(band, value, 0, SETTINGS))).toEqual([0.5, 0, 0, 0.5]);
  });

  it('measures nothing while it is learning', () => {
    expect(excess(band, 100, 0, { ...SETTINGS, warmUp: 4 })).toBe(0);
  });

  it('weights an early value less if a maturity is set', () => {
    expect(excess(band, 20, 0, { ...SETTINGS, maturity: 3 })).toBe(0.5);
  });

  it('uses the floor as minimum width', () => {
    expect(excess(band, 20, 10, SETTINGS)).toBe(0.5);
  });

  it('moves towards its middle as time passes', () => {
    expect(widened(band, 5, 0.5)).toEqual({ count: 4, low: 2.5, high: 7.5 });
  });
});
