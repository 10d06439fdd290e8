import { describeEvent } from './event-description.js';
import * as f from './event-fields.js';

export const USER_LOCKED_OUT = describeEvent(
  'user_locked_out',
  'An employee was offboarded and access to LLMs is revoked.',
  {
    user_id: f.text('0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33', 'The user.'),
    email: f.text('ada@example.com', 'E-mail address of the user.'),
    reason: f.text(
      'offboarded',
      'The reason as it was given; otherwise offboarded or deprovisioned. More words may come.',
    ),
    locked_out_at: f.instant('2026-11-20T13:00:00.000Z', 'From when on access is revoked.'),
  },
);

/** `data` of `user_locked_out`. */
export type UserLockedOutData = typeof USER_LOCKED_OUT.example;
