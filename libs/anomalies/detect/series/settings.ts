import type { BandSettings } from './band.js';
import type { SeasonSettings } from './season.js';

/** The settings for all series. No setting depends on a particular series. */
export interface SeriesSettings extends BandSettings, SeasonSettings {
  /** Number of points in the short, medium and long moving average, and in the spread of all values. */
  readonly short: number;
  readonly medium: number;
  readonly long: number;
  readonly history: number;
  /** Days after which a new extreme has half of its final weight. */
  readonly memoryDays: number;
  /** Absolute difference that never counts as unusual, in the unit of the values. */
  readonly floor: number;
  /** Excess over the band that results in a score of one half, as a share of the band's width. */
  readonly sensitivity: number;
  /** Share of the strongest recent surprise that is subtracted from the next surprise. */
  readonly damping: number;
  /** Share by which the strongest recent surprise fades with each point. */
  readonly recovery: number;
  /** Weight of a second comparison that also rates the point as unusual. */
  readonly agreement: number;
  /** Number of points without a surprise after which an episode ends. */
  readonly quietPoints: number;
  /** After a gap of more than this many usual steps, the moving averages are reset. */
  readonly gapSteps: number;
}

export const SERIES_SETTINGS: SeriesSettings = {
  short: 3,
  medium: 12,
  long: 48,
  history: 1500,
  memoryDays: 90,
  warmUp: 120,
  maturity: 300,
  tolerance: 0.1,
  watchesLows: true,
  floor: 0,
  sensitivity: 0.05,
  damping: 0.5,
  recovery: 0.015,
  agreement: 0.3,
  quietPoints: 24,
  gapSteps: 48,
  daySpan: 10,
  weekSpan: 33,
};
