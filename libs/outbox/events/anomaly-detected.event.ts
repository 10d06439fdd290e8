import { SEVERITIES } from '#core';
import { describeEvent } from './event-description.js';
import * as f from './event-fields.js';

export const ANOMALY_DETECTED = describeEvent(
  'anomaly_detected',
  'Usage is unusual: a spike, or activity before somebody leaves.',
  {
    alert_id: f.uuid('0199c2a8-9c33-7b02-8e14-6a5f0d2b9c47', 'The alert that was raised.'),
    severity: f.choice(SEVERITIES, 'medium', 'How serious it is.'),
    kind: f.text('usage_spike', 'A word for what is unusual: usage_spike or pre_departure. More words may come.'),
    user_id: f
      .text('0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33', 'The user; null where no single user is concerned.')
      .nullable(),
    metric: f.text('requests', 'What was measured, such as requests.'),
    observed: f.decimal(4120, 'The measured value.'),
    expected_low: f.decimal(0, 'The least that was expected.'),
    expected_high: f.decimal(310, 'The most that was expected.'),
    window: f.period({ start: '2026-11-20T12:00:00.000Z', end: '2026-11-20T13:00:00.000Z' }, 'When it was measured.'),
    details: f.record(
      { baseline_days: 28, rule: 'hourly requests far above the same hours of the baseline' },
      'What helps to check it, such as the length of the baseline and the rule.',
    ),
  },
);

/** `data` of `anomaly_detected`. */
export type AnomalyDetectedData = typeof ANOMALY_DETECTED.example;
