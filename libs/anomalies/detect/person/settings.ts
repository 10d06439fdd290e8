import type { Size } from './day-shape.js';

/** The settings for all people. */
export interface PersonSettings {
  /** Number of calendar days in the past with which a person's day is compared. */
  readonly windowDays: number;
  /**
   * Number of days of history below which limits are wider. Each missing day counts as a day that deviates by
   * `newcomerSpread`.
   */
  readonly newcomerDays: number;
  /** The assumed deviation of a missing day, as a share of the mean. */
  readonly newcomerSpread: number;
  /** If a person has fewer active days, the cohort's average day replaces the missing days. */
  readonly cohortDays: number;
  /** For each measure, the limit in standard deviations above the mean. */
  readonly limits: Readonly<Record<Size, number>>;
  /**
   * Weight of the assumed variance, in days. The assumed variance is that of a count: the mean, plus a small constant.
   */
  readonly priorDays: number;
  readonly priorVariance: number;
  /**
   * Makes limits narrower after quiet days, and for people who are seldom active. For them, an active day is already
   * unusual. The deviation is multiplied by the probability of an active day, raised to this power. 0 disables the
   * adjustment.
   */
  readonly rarity: number;
  /** Number of active hours outside the usual hours, within two days, that raises an alarm. */
  readonly unusualHours: number;
  /** An hour of the day is usual for a person if it was active on more than this share of the person's active days. */
  readonly ownHourShare: number;
  /** A day raises no alarm if it has less than this many times the requests of the median active day. */
  readonly minimumRatio: number;
  /** A day with fewer requests raises no alarm. */
  readonly minimumTotal: number;
  /** Number of days without an unusual value after which an episode ends. */
  readonly quietDays: number;
  /**
   * An unusual day within an episode raises another alarm if it is this many times as strong as the strongest day so
   * far.
   */
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
