import { SEVERITIES, type JsonObject, type Severity } from '#core';
import type { EventWindow } from './budget.event.js';
import { describeEvent, freeField, textField, uuidField, windowField } from './event-description.js';

/** `data` of `anomaly_detected`. */
export interface AnomalyDetectedData {
  alert_id: string;
  severity: Severity;
  /** A word for what is unusual. More words may come. */
  kind: string;
  /** Null where no single user is concerned. */
  user_id: string | null;
  metric: string;
  observed: number;
  expected_low: number;
  expected_high: number;
  window: EventWindow;
  details: JsonObject;
}

export const ANOMALY_DETECTED = describeEvent<AnomalyDetectedData>(
  'anomaly_detected',
  'Usage is unusual: a spike, or activity before somebody leaves.',
  {
    alert_id: '0199c2a8-9c33-7b02-8e14-6a5f0d2b9c47',
    severity: 'medium',
    kind: 'usage_spike',
    user_id: '0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33',
    metric: 'requests',
    observed: 4120,
    expected_low: 0,
    expected_high: 310,
    window: { start: '2026-11-20T12:00:00.000Z', end: '2026-11-20T13:00:00.000Z' },
    details: { baseline_days: 28, rule: 'hourly requests far above the same hours of the baseline' },
  },
  {
    alert_id: uuidField('The alert that was raised.'),
    severity: { ...textField('How serious it is.'), enum: SEVERITIES },
    kind: textField('A word for what is unusual: usage_spike or pre_departure. More words may come.'),
    user_id: { description: 'The user; null where no single user is concerned.', type: ['string', 'null'] },
    metric: textField('What was measured, such as requests.'),
    observed: { description: 'The measured value.', type: 'number' },
    expected_low: { description: 'The least that was expected.', type: 'number' },
    expected_high: { description: 'The most that was expected.', type: 'number' },
    window: windowField('When it was measured.'),
    details: freeField('What helps to check it, such as the length of the baseline and the rule.'),
  },
);
