import { ApiSchema } from '@nestjs/swagger';
import { dtoOf, f, presenterOf, TextField } from '#access';
import type { DashboardSession } from './session.entity.js';
import type { ListedSession } from './session-list.service.js';
import { idleAt } from './session-times.js';

const BEGIN = '2026-11-20T13:00:00.000Z';

/** Body of a sign-in: exactly one of the two fields. */
export class SignInDto {
  @TextField({ max: 1024, optional: true, description: 'The access token.', example: 'gov_<49 letters and digits>' })
  token?: string;

  @TextField({ max: 64, optional: true, description: 'The code of a sign-in link.' })
  link?: string;
}

/** A browser session in the API. */
@ApiSchema({ name: 'GovernanceSessionResponseDto' })
export class SessionResponseDto extends dtoOf({
  id: f.uuid('0199c2a8-7f00-7a31-9d42-5b1e6f0c8a21'),
  name: f.text('Ada Lovelace', 'Name of the token or the person at the sign-in.'),
  user_id: f.uuid('0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33').nullable(),
  user_email: f.text('ada@example.com').nullable(),
  credential: f.choice(['token', 'oidc'], 'token', 'How the person signed in.'),
  credential_id: f.text('0199c2a8-9a10-7e05-b6f4-3d8c12e7a450', 'Id of the access token, or `<issuer>#<subject>`.'),
  address: f.text('203.0.113.9', 'Address from which the person signed in.').nullable(),
  user_agent: f
    .text('Mozilla/5.0 (X11; Linux x86_64) Firefox/145.0', 'User agent of the browser, at most 255 characters.')
    .nullable(),
  created_at: f.instant(BEGIN),
  last_input_at: f.instant(BEGIN, 'Time of the last input, accurate to 30 seconds.'),
  idle_at: f.instant(
    '2026-11-20T13:30:00.000Z',
    'Time at which the session ends without further input: 30 minutes after the last input.',
  ),
  expires_at: f.instant(
    '2026-11-21T01:00:00.000Z',
    'Time at which the session ends at the latest: 12 hours after its start.',
  ),
  current: f.flag(false, 'Whether this request uses the session.'),
}) {}

const shown = presenterOf(
  SessionResponseDto,
  (session: DashboardSession, userEmail: string | null, isCurrent: boolean) => ({
    user_email: userEmail,
    credential: session.tokenId === null ? ('oidc' as const) : ('token' as const),
    idle_at: idleAt(session).toISOString(),
    current: isCurrent,
  }),
);

export function presentSession(
  { session, userEmail }: ListedSession,
  currentId: string | undefined,
): SessionResponseDto {
  return shown(session, userEmail, session.id === currentId);
}
