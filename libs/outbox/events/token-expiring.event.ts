import { describeEvent } from './event-description.js';
import * as f from './event-fields.js';

export const TOKEN_EXPIRING = describeEvent(
  'token_expiring',
  'An access token expires in 30, 7 or 1 days. Sent once per token and number of days.',
  {
    token_id: f.uuid('0199c2a8-5f10-7c3e-9a41-3f5d8e2b7c60', 'The token.'),
    name: f.text('gateway in eu-west', 'Name of the token.'),
    role: f.text('agent', 'Role of the token.'),
    user_id: f.uuid(null, 'The user to whom it belongs, or null.').nullable(),
    project: f.text('copilot', 'The project that it is for, or null.').nullable(),
    expires_at: f.instant('2026-11-27T13:00:00.000Z', 'When it expires.'),
    days_left: f.integer(7, 'The warning that was due: 30, 7 or 1 days.', { enum: [30, 7, 1] }),
    last_used_at: f.instant('2026-11-20T12:41:00.000Z', 'When it was last used, or null.').nullable(),
  },
);
