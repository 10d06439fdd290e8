import type { Size } from './day-shape.js';

/** The settings for all people. */
export interface PersonSettings {
  /** Calendar days with which a person is compared. */
  readonly windowDays: number;
  /** Days of history below which limits are wider: each missing day counts as one that deviates by `newcomerSpread`. */
  readonly newcomerDays: number;
  /** The deviation of a missing day, as a share of the mean. */
  readonly newcomerSpread: number;
  /** Up to this number of active days, the cohort's average day replaces the missing ones. */
  readonly cohortDays: number;
  /** Standard deviations above the mean that each measure may reach. */
  readonly limits: Readonly<Record<Size, number>>;
  /** Weight of the prior spread, in days. The prior variance is that of a count: the mean, plus a little. */
  readonly priorDays: number;
  readonly priorVariance: number;
  /**
   * Limits are narrower after quiet days and for people who are seldom active, because an active day is rarer then. The
   * deviation is multiplied by the probability of an active day to this power. 0 disables this.
   */
  readonly rarity: number;
  /** Number of unusual active hours in two days that raises an alarm. */
  readonly unusualHours: number;
  /** An hour is usual for a person if it was active on more than this share of the active days. */
  readonly ownHourShare: number;
  /** A day under this many times the median active day never alarms. */
  readonly minimumRatio: number;
  /** A day under this many requests never alarms. */
  readonly minimumTotal: number;
  /** Days without a surprise that end an episode. */
  readonly quietDays: number;
  /** A surprise within an episode alarms again if it is this many times the episode's strongest. */
  readonly escalation: number;
}

export const PERSON_SETTINGS: PersonSettings = {
  windowDays: 90,
  newcomerDays: 14,
  newcomerSpread: 1,
  cohortDays: 5,
  limits: { busiest: 7.3, third: 6.1, eighth: 7.7, total: 10 },
  priorDays: 4,
  priorVariance: 0.1,
  rarity: 0.45,
  unusualHours: 6,
  ownHourShare: 0.05,
  minimumRatio: 3.7,
  minimumTotal: 2,
  quietDays: 2,
  escalation: 1.2,
};
