import { describe, expect, it } from '@jest/globals';
import type { SeriesGroup, SeriesLine, UsageSeries } from '../data/usage-series.ts';
import { stackOf } from './usage-stack.ts';

const lineOf = (values: readonly (number | null)[]): SeriesLine => ({
  total: values.reduce((sum: number, value) => sum + (value ?? 0), 0),
  unpriced_requests: 0,
  points: values.map((value, day) => ({ period: `2026-11-0${day + 1}`, value, unpriced_requests: 0 })),
});

const groupOf = (key: string, values: readonly (number | null)[]): SeriesGroup => ({
  ...{ ...lineOf(values), key, user_email: null },
});

const usageOf = (groups: readonly SeriesGroup[], other: readonly (number | null)[] | null = null): UsageSeries => ({
  ...{ ...lineOf([0, 0]), group_by: ['model'], metric: 'cost_usd', period: 'daily', time_zone: 'UTC' },
  ...{ groups: [...groups], other: other && { ...lineOf(other), groups: 2 } },
});

describe('the series of a chart of usage', () => {
  it('leave out groups without a bar, because their value is unknown or 0', () => {
    const series = stackOf(
      usageOf([groupOf('gpt-4o', [1, 2]), groupOf('house', [null, null]), groupOf('free', [0, 0])]),
    );
    expect(series.map(({ name }) => name)).toEqual(['gpt-4o']);
  });

  it('keep a group whose value is known in one period only', () => {
    const series = stackOf(usageOf([groupOf('gpt-4o', [1, 2]), groupOf('house', [null, 3])]));
    expect(series).toEqual([
      expect.objectContaining({ name: 'gpt-4o' }),
      expect.objectContaining({ name: 'house', values: [null, 3] }),
    ]);
  });

  it('leave out the sum of the other groups if it has no bar', () => {
    const names = (other: readonly (number | null)[]) =>
      stackOf(usageOf([groupOf('gpt-4o', [1, 2])], other)).map(({ name }) => name);
    expect(names([null, null])).toEqual(['gpt-4o']);
    expect(names([null, 1])).toEqual(['gpt-4o', 'Other']);
  });

  it('give a color of its own to a sixth group if one before it has no bar', () => {
    const named = ['a', 'b', 'c', 'd', 'e', 'f'].map(key => groupOf(key, key === 'c' ? [null, null] : [1, 1]));
    expect(stackOf(usageOf(named)).map(({ name }) => name)).toEqual(['a', 'b', 'd', 'e', 'f']);
  });

  it('keep all groups if none has a bar', () => {
    const series = stackOf(usageOf([groupOf('house', [null, null])], [null, null]));
    expect(series.map(({ name }) => name)).toEqual(['house', 'Other']);
  });
});
