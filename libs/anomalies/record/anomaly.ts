import type { JsonObject, Severity } from '#core';
import { HOUR_RULES, WATCH_RULES, type Metric, type WatchRule } from '../detect/index.js';

/** Kinds of anomalies. */
export const ANOMALY_KINDS = ['usage_spike', 'pre_departure'] as const;

/** Kind of an anomaly: usage far above its past, or activity before a departure. */
export type AnomalyKind = (typeof ANOMALY_KINDS)[number];

/** Feedback values. */
export const FEEDBACKS = ['expected', 'unexpected'] as const;

/** Feedback about an alarm: the usage was expected or unexpected. */
export type Feedback = (typeof FEEDBACKS)[number];

/** One value of the series around an anomaly. */
export interface PlotPoint {
  /** The start of the day or hour. */
  readonly at: string;
  readonly value: number;
}

/** The rule that found the anomaly. */
export type AnomalyRule = WatchRule | keyof typeof HOUR_RULES;

/** An alarm before it is stored. */
export interface FoundAnomaly {
  readonly kind: AnomalyKind;
  readonly severity: Severity;
  /** Null if the alarm concerns the whole organization. */
  readonly userId: string | null;
  /** Null if the alarm concerns all models. */
  readonly model: string | null;
  readonly metric: Metric | 'active_hours';
  readonly rule: AnomalyRule;
  readonly observed: number;
  readonly expectedLow: number;
  readonly expectedHigh: number;
  readonly windowStart: Date;
  readonly windowEnd: Date;
  /** Number of past days with which the value was compared. */
  readonly historyDays: number;
  /** Ratio of the deviation to the limit: 1 is exactly at the limit. */
  readonly strength: number;
  /** Earlier values of the measure that the rule compares, and the unusual value, for a chart. */
  readonly series: readonly PlotPoint[];
}

/** A stored alarm. */
export interface Anomaly extends FoundAnomaly {
  /** Ids grow with time. */
  readonly id: string;
  readonly orgId: string;
  readonly detectedAt: Date;
  readonly userEmail: string | null;
  readonly incidentId: string;
  readonly feedback: Feedback | null;
  readonly feedbackNote: string | null;
  readonly feedbackAt: Date | null;
  readonly feedbackBy: JsonObject | null;
}

const WORDS: Readonly<Record<AnomalyRule, string>> = { ...WATCH_RULES, ...HOUR_RULES };

/** Description of a rule. */
export function inWords(rule: AnomalyRule): string {
  return WORDS[rule];
}
