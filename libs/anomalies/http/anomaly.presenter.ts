import { presenterOf } from '#access';
import { inWords, type Anomaly, type FoundAnomaly } from '../record/anomaly.js';
import { AnomalyResponseDto } from './anomaly.dto.js';

/** Fields that real and simulated alarms share. */
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

/** Maps an alarm to the API. */
export const presentAnomaly = presenterOf(AnomalyResponseDto, (anomaly: Anomaly) => ({
  ...presentFound(anomaly),
  series: anomaly.series.map(({ at, value }) => ({ at, value })),
}));
