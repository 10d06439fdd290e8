import { describeEvent, textField, timeField, uuidField } from './event-description.js';

/** `data` of `token_expiring`. */
export interface TokenExpiringData {
  token_id: string;
  name: string;
  role: string;
  user_id: string | null;
  project: string | null;
  expires_at: string;
  days_left: number;
  last_used_at: string | null;
}

export const TOKEN_EXPIRING = describeEvent<TokenExpiringData>(
  'token_expiring',
  'An access token expires in 30, 7 or 1 days. Sent once per token and number of days.',
  {
    token_id: '0199c2a8-5f10-7c3e-9a41-3f5d8e2b7c60',
    name: 'gateway in eu-west',
    role: 'agent',
    user_id: null,
    project: 'copilot',
    expires_at: '2026-11-27T13:00:00.000Z',
    days_left: 7,
    last_used_at: '2026-11-20T12:41:00.000Z',
  },
  {
    token_id: uuidField('The token.'),
    name: textField('Name of the token.'),
    role: textField('Role of the token.'),
    user_id: { ...uuidField('The user to whom it belongs, or null.'), type: ['string', 'null'] },
    project: { ...textField('The project that it is for, or null.'), type: ['string', 'null'] },
    expires_at: timeField('When it expires.'),
    days_left: { description: 'The warning that was due: 30, 7 or 1 days.', type: 'integer', enum: [30, 7, 1] },
    last_used_at: { ...timeField('When it was last used, or null.'), type: ['string', 'null'] },
  },
);
