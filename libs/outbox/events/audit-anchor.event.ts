import { describeEvent, textField, timeField } from './event-description.js';

/** `data` of `audit_anchor`: the end of the audit log at one time. */
export interface AuditAnchorData {
  seq: number;
  /** SHA-256 of the row, which covers all rows before it. */
  hash: string;
  /** False where the log was changed without the keyring. */
  sealed: boolean;
  anchored_at: string;
}

export const AUDIT_ANCHOR = describeEvent<AuditAnchorData>(
  'audit_anchor',
  'At a set interval, to webhooks that name this type only: the end of the audit log, to be kept elsewhere.',
  {
    seq: 42,
    hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    sealed: true,
    anchored_at: '2026-11-20T13:00:00.000Z',
  },
  {
    seq: { description: 'Number of the last row of the audit log.', type: 'integer', minimum: 1 },
    hash: {
      ...textField('Hash of that row in lower-case hexadecimal; it covers all rows before it.'),
      pattern: '^[0-9a-f]{64}$',
    },
    sealed: {
      description: 'Whether the seal of the log fits. False: check the log, it was tampered with.',
      type: 'boolean',
    },
    anchored_at: timeField('When the end of the log was read.'),
  },
);
