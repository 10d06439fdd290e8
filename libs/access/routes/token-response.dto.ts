import { presenterOf } from '../http/presenter.js';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import type { Tags } from '#core';
import { ROLES, SCOPES, type Role, type Scope } from '../principals/scopes.js';
import type { AccessToken } from '../tokens/access-token.entity.js';
import type { IssuedToken } from '../tokens/token.service.js';

/** An access token, without the token itself. */
@ApiSchema({ name: 'GovernanceTokenResponseDto' })
export class TokenResponseDto {
  @ApiProperty({ format: 'uuid', example: '0199c2a8-5f10-7c3e-9a41-3f5d8e2b7c60' })
  id!: string;

  @ApiProperty({ example: 'gateway in eu-west' })
  name!: string;

  @ApiProperty({ enum: ROLES, example: 'agent' })
  role!: Role;

  @ApiProperty({ enum: SCOPES, isArray: true, example: ['decisions:write', 'usage:write'] })
  scopes!: Scope[];

  @ApiProperty({ type: String, format: 'uuid', nullable: true, example: null })
  user_id!: string | null;

  @ApiProperty({
    type: [String],
    description:
      'The users or subjects who created it, the last first. Empty if the operator created it, also with a token.',
    example: ['0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33'],
  })
  issued_by!: string[];

  @ApiProperty({
    description:
      'Whether its chain of creators contains a credential without a person: the operator’s token, or a sign-in of no ' +
      'user. Such a token cannot approve as a person.',
    example: false,
  })
  issued_by_nobody!: boolean;

  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'The token with which it was created. Null if created by a sign-in or by the operator.',
    example: null,
  })
  issued_by_token!: string | null;

  @ApiProperty({ format: 'date-time', example: '2026-11-20T13:00:00.000Z' })
  created_at!: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Null only for a token that the operator configured.',
    example: '2027-02-18T13:00:00.000Z',
  })
  expires_at!: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Time of the last use, accurate to a minute.',
    example: null,
  })
  last_used_at!: string | null;

  @ApiProperty({ type: [String], nullable: true, description: 'Null: all models.', example: ['gpt-4o*'] })
  models!: string[] | null;

  @ApiProperty({ type: String, nullable: true, description: 'Null: as each request says.', example: 'copilot' })
  project!: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    nullable: true,
    description: 'Null: as each request says.',
    example: { team: 'search' },
  })
  tags!: Tags | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Time of the last rotation.',
    example: null,
  })
  rotated_at!: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Until then the previous secret is accepted; null without a rotation.',
    example: null,
  })
  previous_until!: string | null;
}

/** A new access token; the only answer that contains the token. */
@ApiSchema({ name: 'GovernanceCreatedTokenResponseDto' })
export class CreatedTokenResponseDto extends TokenResponseDto {
  @ApiProperty({
    description: 'The bearer token. It is shown only here.',
    example: 'gov_<49 letters and digits>',
  })
  token!: string;
}

export const presentToken = presenterOf(TokenResponseDto, (token: AccessToken) => ({
  scopes: token.grants(),
  issued_by: [...token.issuedBy],
  models: token.models && [...token.models],
}));

export function presentIssuedToken({ record, token }: IssuedToken): CreatedTokenResponseDto {
  return Object.assign(presentToken(record), { token });
}
