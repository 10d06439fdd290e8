import type { JsonObject, Severity } from '#core';
import { HOUR_RULES, WATCH_RULES, type Metric, type WatchRule } from '../detect/index.js';

/** What kinds of anomalies there are. */
export const ANOMALY_KINDS = ['usage_spike', 'pre_departure'] as const;

/** What is unusual: usage far above its past, or activity before somebody leaves. */
export type AnomalyKind = (typeof ANOMALY_KINDS)[number];

/** What a person says about an alarm. */
export const FEEDBACKS = ['expected', 'unexpected'] as const;

/** What a person says about an alarm: it was nothing, or it was something. */
export type Feedback = (typeof FEEDBACKS)[number];

/** One value of the series around an anomaly. */
export interface PlotPoint {
  /** First instant of the day or hour. */
  readonly at: string;
  readonly value: number;
}

/** The rule by which something is unusual. */
export type AnomalyRule = WatchRule | keyof typeof HOUR_RULES;

/** An alarm, as it is found. */
export interface FoundAnomaly {
  readonly kind: AnomalyKind;
  readonly severity: Severity;
  /** Null for the organization as a whole. */
  readonly userId: string | null;
  /** Null where it is about all models. */
  readonly model: string | null;
  readonly metric: Metric | 'active_hours';
  readonly rule: AnomalyRule;
  readonly observed: number;
  readonly expectedLow: number;
  readonly expectedHigh: number;
  readonly windowStart: Date;
  readonly windowEnd: Date;
  /** Days of the past that it was compared with. */
  readonly historyDays: number;
  /** How far beyond the limit: 1 is at the limit. */
  readonly strength: number;
  /** The past and the unusual value, for a plot. */
  readonly series: readonly PlotPoint[];
}

/** An alarm, as it is kept. */
export interface Anomaly extends FoundAnomaly {
  /** Grows with time. */
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

/** A rule in words. */
export function inWords(rule: AnomalyRule): string {
  return WORDS[rule];
}
