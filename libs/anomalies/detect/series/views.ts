import type { Average } from './average.js';

/** The comparisons of a point with the past, the simplest first. Each has its own band of past values. */
export const SERIES_RULES = {
  value: 'the value is outside the range of all earlier values',
  level: 'the average of the last dozen points is outside its earlier range',
  step: 'the last points differ from the last dozen more than ever before',
  drift: 'the last dozen points differ from the last fifty more than ever before',
  hour_of_day: 'the value is further from the usual one at this hour of the day than ever before',
  hour_of_week: 'the value is further from the usual one at this hour of the week than ever before',
} as const;

export type SeriesRule = keyof typeof SERIES_RULES;

/** One comparison. The band covers `(observed - base) / scale`. */
export interface View {
  readonly rule: SeriesRule;
  readonly observed: number;
  readonly base: number;
  readonly scale: number;
}

/** Input of the comparisons. The averages already include the new point, the slots do not. */
export interface Measurements {
  readonly value: number;
  readonly short: Average;
  readonly medium: Average;
  readonly long: Average;
  readonly spread: number;
  readonly day: Average;
  readonly week: Average;
  /** Expected value for an hour without history. */
  readonly fallback: number;
}

/** Days of history that an hour of the day needs before a point is compared with it. */
const DAY_READY = 3;

/** The comparisons of one point, in the order of `SERIES_RULES`. */
export function viewsOf(measurements: Measurements): readonly View[] {
  const { value, short, medium, long, day, week } = measurements;
  const dayBase = day.count > 0 ? day.mean : measurements.fallback;
  const dayReady = day.count >= DAY_READY;
  return [
    { rule: 'value', observed: value, base: 0, scale: 1 },
    { rule: 'level', observed: medium.mean, base: 0, scale: 1 },
    { rule: 'step', observed: short.mean, base: medium.mean, scale: 1 },
    { rule: 'drift', observed: medium.mean, base: long.mean, scale: 1 },
    {
      rule: 'hour_of_day',
      observed: dayReady ? value : dayBase,
      base: dayBase,
      scale: Math.sqrt(day.variance) + 0.3 * measurements.spread + 1e-9,
    },
    { rule: 'hour_of_week', observed: value, base: week.count > 0 ? week.mean : dayBase, scale: 1 },
  ];
}
