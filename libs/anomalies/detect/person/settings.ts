import type { Size } from './day-shape.js';

/** One setting for all people. */
export interface PersonSettings {
  /** Calendar days that a person is compared with. */
  readonly windowDays: number;
  /** Days of history under which limits are wider: each missing day counts as one that is off by `newcomerSpread`. */
  readonly newcomerDays: number;
  /** The deviation of a missing day, as a share of the mean. */
  readonly newcomerSpread: number;
  /** Active days until which the average day of the cohort stands in for the missing ones. */
  readonly cohortDays: number;
  /** How many standard deviations above the mean each size may lie. */
  readonly limits: Readonly<Record<Size, number>>;
  /** Weight of the prior spread, in days. The prior variance is that of a count: the mean, plus a little. */
  readonly priorDays: number;
  readonly priorVariance: number;
  /**
   * After quiet days, and for people who are seldom active, limits are closer: any active day is rarer then. The
   * deviation is multiplied by the likelihood of an active day to this power. 0 turns this off.
   */
  readonly rarity: number;
  /** Active hours of two days, outside of the person's own hours, that alarm. */
  readonly unusualHours: number;
  /** An hour is the person's own if it was active on more than this share of the active days. */
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
