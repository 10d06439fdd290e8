import { describe, expect, it } from '@jest/globals';
import { meterEnd, meterMarks } from './scale.ts';

describe('the meter of a budget', () => {
  it.each([
    [0, 1],
    [0.59, 1],
    [1, 1],
    [1.04, 1.04],
    [1.5, 1.5],
    [40, 1.5],
  ])('with %d of the amount used ends at %d of it', (used, end) => {
    expect(meterEnd(used)).toBe(end);
  });

  it('has a mark at 80 % only, because its end is the amount', () => {
    expect(meterMarks(meterEnd(0.59))).toBe('M80 0v10');
  });

  it('has a second mark at the amount if more is used', () => {
    expect(meterMarks(meterEnd(1.25))).toBe('M64 0v10M80 0v10');
  });
});
