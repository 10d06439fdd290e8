import { PERSON_SETTINGS, type PersonSettings } from '../person/settings.js';
import { SERIES_SETTINGS, type SeriesSettings } from '../series/settings.js';
import type { Metric, OfEach } from './figures.js';

/** Sensitivities. */
export const SENSITIVITIES = ['low', 'medium', 'high'] as const;

/** Sensitivity of the detection for an organization. */
export type Sensitivity = (typeof SENSITIVITIES)[number];

/** Settings of alarms that an organization can change. */
export interface WatchSettings {
  readonly sensitivity: Sensitivity;
  /** Days without an unusual value after which an episode ends. */
  readonly quietDays: number;
  /**
   * Minimum of a person's day that can raise an alarm. For an hour of the organization, the minimum is ten times as
   * high.
   */
  readonly minimum: OfEach<number>;
}

/** Defaults for organizations without settings. */
export const DEFAULT_WATCH_SETTINGS: WatchSettings = {
  sensitivity: 'medium',
  quietDays: PERSON_SETTINGS.quietDays,
  minimum: { requests: 10, tokens: 10_000, cost_usd: 1 },
};

/** Factor for all limits, by sensitivity. */
const WIDTH = { low: 1.4, medium: 1, high: 0.75 } as const satisfies Record<Sensitivity, number>;

/**
 * Amount of each metric that counts as one unit. The rules are made for counts such as requests: they assume that the
 * variance equals the mean. Tokens and dollars vary more from day to day than requests, so their limits are wider.
 */
const UNITS = { requests: 1, tokens: 1_000, cost_usd: 0.01 } as const satisfies OfEach<number>;
const METRIC_WIDTH = { requests: 1, tokens: 1.25, cost_usd: 1.25 } as const satisfies OfEach<number>;

/** One unit of a metric in the rules. */
export function unitOf(metric: Metric): number {
  return UNITS[metric];
}

/**
 * The rules for one metric of a person.
 * @param tolerance factor for the limits, adjusted by feedback
 */
export function personSettings(metric: Metric, settings: WatchSettings, tolerance: number): PersonSettings {
  const width = WIDTH[settings.sensitivity] * METRIC_WIDTH[metric] * tolerance;
  return {
    ...widened(PERSON_SETTINGS, width),
    quietDays: settings.quietDays,
    minimumTotal: Math.max(PERSON_SETTINGS.minimumTotal, settings.minimum[metric] / UNITS[metric]),
  };
}

/** Factor for the limits of one model of a person. They are wider because people often change models. */
const MODEL_WIDTH = 1.5;

/** The rules for requests of one model. */
export function modelSettings(settings: PersonSettings): PersonSettings {
  return widened(settings, MODEL_WIDTH);
}

/** Stricter limits for a person who will leave soon. */
const LEAVER = { width: 0.5, unusualHours: 3, minimumRatio: 2 } as const;

/** The rules for a person who will leave soon. */
export function leaverSettings(settings: PersonSettings): PersonSettings {
  const { unusualHours, minimumRatio } = LEAVER;
  return { ...widened(settings, LEAVER.width), unusualHours, minimumRatio };
}

function widened(settings: PersonSettings, width: number): PersonSettings {
  const { busiest, third, eighth, total } = settings.limits;
  const limits = { busiest: busiest * width, third: third * width, eighth: eighth * width, total: total * width };
  return { ...settings, limits, minimumRatio: settings.minimumRatio * width };
}

/**
 * The rules for one metric of an organization by hour.
 * @param tolerance factor for the limits, adjusted by feedback
 */
export function seriesSettings(metric: Metric, settings: WatchSettings, tolerance: number): SeriesSettings {
  const sensitivity = SERIES_SETTINGS.sensitivity * WIDTH[settings.sensitivity] * tolerance;
  // Without this, a quiet morning could start an episode that hides a later spike.
  return { ...SERIES_SETTINGS, sensitivity, floor: settings.minimum[metric], watchesLows: false };
}

/** Factor from the minimum of a person's day to the minimum of an organization's hour. */
const ORGANIZATION_MINIMUM = 10;

/** Whether an hour of an organization is below the minimum for an alarm. */
export function isSmallHour(metric: Metric, value: number, settings: WatchSettings): boolean {
  return value < ORGANIZATION_MINIMUM * settings.minimum[metric];
}
