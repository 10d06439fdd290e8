import { type DayShape, type Size, SIZES } from './day-shape.js';
import { type Cohort, expectationOf } from './expectation.js';
import type { Past } from './history.js';
import type { PersonSettings } from './settings.js';
import { unusualHours } from './unusual-hours.js';

export const PERSON_RULES = {
  busiest: 'the busiest hour of the day is far above the busiest hours of earlier days',
  third: 'three hours of the day were each far busier than the third busiest hours of earlier days',
  eighth: 'eight hours of the day were each far busier than the eighth busiest hours of earlier days',
  total: 'the day is far above earlier days',
  hours: 'today and yesterday had many active hours at which the person hardly ever was active',
} as const satisfies Record<Size | 'hours', string>;

export type PersonRule = keyof typeof PERSON_RULES;

/** One rule that a day breaks. */
export interface Finding {
  readonly rule: PersonRule;
  readonly observed: number;
  readonly expectedLow: number;
  readonly expectedHigh: number;
  /** Ratio of the deviation to the limit: 1 means that the deviation equals the limit. */
  readonly strength: number;
}

/** The broken rule with the largest deviation; undefined if no rule is broken. */
export function findingOf(shape: DayShape, past: Past, cohort: Cohort, settings: PersonSettings): Finding | undefined {
  return strongest([hoursOf(shape, past, settings), ...sizesOf(shape, past, cohort, settings)]);
}

/** The broken rule about volume with the largest deviation; undefined if no such rule is broken. */
export function sizeFindingOf(
  shape: DayShape,
  past: Past,
  cohort: Cohort,
  settings: PersonSettings,
): Finding | undefined {
  return strongest(sizesOf(shape, past, cohort, settings));
}

/** The strongest finding that exceeds its limit. */
export function strongest<T extends Pick<Finding, 'strength'>>(findings: readonly T[]): T | undefined {
  return findings.filter(({ strength }) => strength > 1).toSorted((a, b) => b.strength - a.strength)[0];
}

function sizesOf(shape: DayShape, past: Past, cohort: Cohort, settings: PersonSettings): Finding[] {
  if (past.days.length === 0 && cohort.days === 0) return [];
  if (shape.total < Math.max(settings.minimumTotal, settings.minimumRatio * medianTotal(past))) return [];
  return SIZES.map(size => sizeOf(shape, size, past, cohort, settings));
}

function sizeOf(shape: DayShape, size: Size, past: Past, cohort: Cohort, settings: PersonSettings): Finding {
  const { mean, unit } = expectationOf(past, size, cohort, settings);
  const margin = settings.limits[size] * unit;
  const strength = (shape[size] - mean) / margin;
  return { rule: size, observed: shape[size], expectedLow: 0, expectedHigh: mean + margin, strength };
}

function hoursOf(shape: DayShape, past: Past, settings: PersonSettings): Finding {
  const observed = unusualHours(shape, past, settings);
  const expectedHigh = settings.unusualHours - 1;
  return { rule: 'hours', observed, expectedLow: 0, expectedHigh, strength: observed / expectedHigh };
}

/** A value that a rule compares, on an earlier day. */
export interface PastValue {
  readonly day: number;
  readonly value: number;
}

/** The values of the measure of a rule on earlier days, oldest first. */
export function pastValues(rule: PersonRule, past: Past, settings: PersonSettings): PastValue[] {
  return past.days.map((shape, at) => ({
    day: shape.day,
    value: rule === 'hours' ? unusualHours(shape, { ...past, days: past.days.slice(0, at) }, settings) : shape[rule],
  }));
}

function medianTotal(past: Past): number {
  const totals = past.days.map(day => day.total).toSorted((a, b) => a - b);
  const half = totals.length >> 1;
  const upper = totals[half] ?? 0;
  return totals.length % 2 === 1 ? upper : ((totals[half - 1] ?? upper) + upper) / 2;
}
