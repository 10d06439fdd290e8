import { describeEvent } from './event-description.js';
import * as f from './event-fields.js';

/** The end of the audit log at a given time. */
export const AUDIT_ANCHOR = describeEvent(
  'audit_anchor',
  'At a set interval, to webhooks that name this type only: the end of the audit log, to be kept elsewhere.',
  {
    seq: f.integer(42, 'Number of the last row of the audit log.', { minimum: 1 }),
    hash: f.text(
      '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      'Hash of that row in lower-case hexadecimal; it covers all rows before it.',
      { pattern: '^[0-9a-f]{64}$' },
    ),
    sealed: f.flag(true, 'Whether the seal of the log fits. False: check the log, it was tampered with.'),
    anchored_at: f.instant('2026-11-20T13:00:00.000Z', 'When the end of the log was read.'),
  },
);
