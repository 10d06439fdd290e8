import type { DayShape, Size } from './day-shape.js';
import type { Past } from './history.js';
import type { PersonSettings } from './settings.js';

/** Mean values of the active days of a whole cohort. They are the expectation for a person with little history. */
export interface Cohort {
  readonly days: number;
  readonly means: Readonly<Record<Size, number>>;
}

export const NO_COHORT: Cohort = { days: 0, means: { busiest: 0, third: 0, eighth: 0, total: 0 } };

/** Number of recent active days of the cohort that have most of the weight. */
const COHORT_SPAN = 2_000;

/** Adds one active day of one person to the cohort. */
export function withCohortDay(cohort: Cohort, shape: DayShape): Cohort {
  const days = Math.min(cohort.days + 1, COHORT_SPAN);
  const mean = (size: Size): number => cohort.means[size] + (shape[size] - cohort.means[size]) / days;
  return {
    days,
    means: { busiest: mean('busiest'), third: mean('third'), eighth: mean('eighth'), total: mean('total') },
  };
}

/** The usual value of one measure on a person's active days, and its allowed variation. */
export interface Expectation {
  readonly mean: number;
  /** One standard deviation. It is reduced if an active day is unlikely for the person. */
  readonly unit: number;
}

/** Expected value of one measure. It is computed from the person's past; if that is short, also from the cohort. */
export function expectationOf(past: Past, size: Size, cohort: Cohort, settings: PersonSettings): Expectation {
  const own = past.days.length;
  const known = own === 0 ? 0 : past.length;
  const missing = Math.max(0, settings.newcomerDays - known);
  const lent = cohort.days > 0 ? Math.min(missing, Math.max(0, settings.cohortDays - own)) : 0;
  let sum = lent * cohort.means[size];
  for (const day of past.days) sum += day[size];
  const mean = own + lent > 0 ? sum / (own + lent) : 0;
  let squares = missing * (settings.newcomerSpread * mean) ** 2;
  for (const day of past.days) squares += (day[size] - mean) ** 2;
  squares += settings.priorDays * (mean + settings.priorVariance);
  const variance = squares / (own + missing + settings.priorDays);
  const share = (own + 1 + missing) / (known + 1 + missing);
  return { mean, unit: Math.sqrt(variance) * likelyActive(past.lastWeek, share) ** settings.rarity };
}

/** Weight of the long-term share of active days, relative to the last seven days. */
const LONG_RUN = 4;

/**
 * Probability that the person is active on a day. It combines the long-term share of active days and the last week,
 * which has more weight.
 */
function likelyActive(lastWeek: number, share: number): number {
  return (lastWeek + LONG_RUN * share) / (7 + LONG_RUN) + 0.02;
}
