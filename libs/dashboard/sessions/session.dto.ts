import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { presenterOf, TextField } from '#access';
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
export class SessionResponseDto {
  @ApiProperty({ format: 'uuid', example: '0199c2a8-7f00-7a31-9d42-5b1e6f0c8a21' })
  id!: string;

  @ApiProperty({ description: 'Name of the token or the person at the sign-in.', example: 'Ada Lovelace' })
  name!: string;

  @ApiProperty({ type: String, format: 'uuid', nullable: true, example: '0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33' })
  user_id!: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'ada@example.com' })
  user_email!: string | null;

  @ApiProperty({ enum: ['token', 'oidc'], description: 'How the person signed in.', example: 'token' })
  credential!: 'token' | 'oidc';

  @ApiProperty({
    description: 'Id of the access token, or `<issuer>#<subject>`.',
    example: '0199c2a8-9a10-7e05-b6f4-3d8c12e7a450',
  })
  credential_id!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Address from which the person signed in.',
    example: '203.0.113.9',
  })
  address!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'User agent of the browser, at most 255 characters.',
    example: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/145.0',
  })
  user_agent!: string | null;

  @ApiProperty({ format: 'date-time', example: BEGIN })
  created_at!: string;

  @ApiProperty({ format: 'date-time', description: 'Time of the last input, accurate to 30 seconds.', example: BEGIN })
  last_input_at!: string;

  @ApiProperty({
    format: 'date-time',
    description: 'Time at which the session ends without further input: 30 minutes after the last input.',
    example: '2026-11-20T13:30:00.000Z',
  })
  idle_at!: string;

  @ApiProperty({
    format: 'date-time',
    description: 'Time at which the session ends at the latest: 12 hours after its start.',
    example: '2026-11-21T01:00:00.000Z',
  })
  expires_at!: string;

  @ApiProperty({ description: 'Whether this request uses the session.', example: false })
  current!: boolean;
}

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
