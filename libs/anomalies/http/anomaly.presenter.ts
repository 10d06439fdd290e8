import { inWords, type Anomaly, type FoundAnomaly } from '../record/anomaly.js';
import type { AnomalyResponseDto } from './anomaly.dto.js';

/** What a found alarm shows, also where it was only simulated. */
export function presentFound(found: FoundAnomaly) {
  return {
    kind: found.kind,
    severity: found.severity,
    user_id: found.userId,
    model: found.model,
    metric: found.metric,
    observed: found.observed,
    expected_low: found.expectedLow,
    expected_high: found.expectedHigh,
    window: { start: found.windowStart.toISOString(), end: found.windowEnd.toISOString() },
    history_days: found.historyDays,
    rule: found.rule,
    rule_in_words: inWords(found.rule),
    strength: Number(found.strength.toFixed(3)),
  };
}

/** An alarm as the API shows it. */
export function presentAnomaly(anomaly: Anomaly): AnomalyResponseDto {
  return {
    id: anomaly.id,
    org_id: anomaly.orgId,
    ...presentFound(anomaly),
    user_email: anomaly.userEmail,
    series: anomaly.series.map(({ at, value }) => ({ at, value })),
    incident_id: anomaly.incidentId,
    detected_at: anomaly.detectedAt.toISOString(),
    feedback: anomaly.feedback,
    feedback_note: anomaly.feedbackNote,
    feedback_at: anomaly.feedbackAt?.toISOString() ?? null,
    feedback_by: anomaly.feedbackBy,
  };
}
