import { type Average, averaged } from './average.js';

const HOUR = 3_600_000;
const HOURS_OF_DAY = 24;
const HOURS_OF_WEEK = 168;

/**
 * The usual values for each hour of the day and of the week. Slots are counted from the epoch. They have no names such
 * as "weekend" or "night": these patterns are learned, not assumed. Slots are stored as lists of rounded numbers,
 * because they are most of the state.
 */
export interface Season {
  readonly day: Slots;
  readonly week: Slots;
}

/** One average for each slot: `counts[3]`, `means[3]` and `variances[3]` belong together. */
export interface Slots {
  readonly counts: readonly number[];
  readonly means: readonly number[];
  readonly variances: readonly number[];
}

const zeros = (length: number): number[] => Array.from({ length }, () => 0);
const slots = (length: number): Slots => ({
  counts: zeros(length),
  means: zeros(length),
  variances: zeros(length),
});

export const NO_SEASON: Season = { day: slots(HOURS_OF_DAY), week: slots(HOURS_OF_WEEK) };

export interface SeasonSettings {
  /** Number of recent values with most of the weight, for an hour of the day. */
  readonly daySpan: number;
  /** Number of recent values with most of the weight, for an hour of the week. */
  readonly weekSpan: number;
}

/** The averages of the slots that an instant falls into. */
export function slotsAt(season: Season, at: number): { day: Average; week: Average } {
  const hour = Math.floor(at / HOUR);
  return { day: read(season.day, hour), week: read(season.week, hour) };
}

/** Adds a value to the usual values of its hour. */
export function seasoned(season: Season, at: number, value: number, settings: SeasonSettings): Season {
  const hour = Math.floor(at / HOUR);
  return {
    day: taught(season.day, hour, value, settings.daySpan),
    week: taught(season.week, hour, value, settings.weekSpan),
  };
}

function read({ counts, means, variances }: Slots, hour: number): Average {
  const slot = modulo(hour, counts.length);
  return { count: counts[slot] ?? 0, mean: means[slot] ?? 0, variance: variances[slot] ?? 0 };
}

function taught(before: Slots, hour: number, value: number, span: number): Slots {
  const slot = modulo(hour, before.counts.length);
  const { count, mean, variance } = averaged(read(before, hour), value, span);
  return {
    counts: before.counts.with(slot, count),
    means: before.means.with(slot, short(mean)),
    variances: before.variances.with(slot, short(variance)),
  };
}

/** Seven digits suffice for a comparison and keep the stored state small. */
function short(value: number): number {
  return Number(value.toPrecision(7));
}

function modulo(value: number, length: number): number {
  return ((value % length) + length) % length;
}
