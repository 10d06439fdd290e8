import type { JsonObject } from '#core';
import { sql } from '#database';
import type { Anomaly, AnomalyKind, AnomalyRule, Feedback, PlotPoint } from './anomaly.js';

/** An alarm as it is read. Times are milliseconds since the epoch, as text. */
export interface AnomalyRow {
  readonly id: string;
  readonly org_id: string;
  readonly detected_ms: string;
  readonly kind: AnomalyKind;
  readonly severity: Anomaly['severity'];
  readonly user_id: string | null;
  readonly user_email: string | null;
  readonly model: string | null;
  readonly metric: Anomaly['metric'];
  readonly rule: AnomalyRule;
  readonly observed: number;
  readonly expected_low: number;
  readonly expected_high: number;
  readonly start_ms: string;
  readonly end_ms: string;
  readonly history_days: number;
  readonly strength: number;
  readonly series: readonly PlotPoint[];
  readonly incident_id: string;
  readonly feedback: Feedback | null;
  readonly feedback_note: string | null;
  readonly feedback_ms: string | null;
  readonly feedback_by: JsonObject | null;
}

/** The columns of an alarm, of a table called `a`. */
export const ANOMALY_COLUMNS = sql`a.id, a.org_id, a.kind, a.severity, a.user_id, a.user_email, a.model, a.metric, a.rule,
  a.observed, a.expected_low, a.expected_high, a.history_days, a.strength, a.series, a.incident_id, a.feedback,
  a.feedback_note, a.feedback_by,
  floor(extract(epoch from a.detected_at) * 1000)::text as detected_ms,
  floor(extract(epoch from a.window_start) * 1000)::text as start_ms,
  floor(extract(epoch from a.window_end) * 1000)::text as end_ms,
  floor(extract(epoch from a.feedback_at) * 1000)::text as feedback_ms`;

/** An alarm from its row. */
export function anomalyOf(row: AnomalyRow): Anomaly {
  return {
    ...{ id: row.id, orgId: row.org_id, kind: row.kind, severity: row.severity },
    ...{ userId: row.user_id, userEmail: row.user_email, model: row.model, metric: row.metric, rule: row.rule },
    ...{ observed: row.observed, expectedLow: row.expected_low, expectedHigh: row.expected_high },
    ...{ historyDays: row.history_days, strength: row.strength, series: row.series, incidentId: row.incident_id },
    ...{ feedback: row.feedback, feedbackNote: row.feedback_note, feedbackBy: row.feedback_by },
    detectedAt: new Date(Number(row.detected_ms)),
    windowStart: new Date(Number(row.start_ms)),
    windowEnd: new Date(Number(row.end_ms)),
    feedbackAt: row.feedback_ms === null ? null : new Date(Number(row.feedback_ms)),
  };
}
