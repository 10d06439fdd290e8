import { describeEvent, textField, timeField } from './event-description.js';

/** `data` of `user_locked_out`. */
export interface UserLockedOutData {
  user_id: string;
  email: string;
  /** As it was given, otherwise a word for the cause: `offboarded` or `deprovisioned`. More words may come. */
  reason: string;
  locked_out_at: string;
}

export const USER_LOCKED_OUT = describeEvent<UserLockedOutData>(
  'user_locked_out',
  'An employee was offboarded and access to LLMs is revoked.',
  {
    user_id: '0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33',
    email: 'ada@example.com',
    reason: 'offboarded',
    locked_out_at: '2026-11-20T13:00:00.000Z',
  },
  {
    user_id: textField('The user.'),
    email: textField('E-mail address of the user.'),
    reason: textField('The reason as it was given; otherwise offboarded or deprovisioned. More words may come.'),
    locked_out_at: timeField('From when on access is revoked.'),
  },
);
