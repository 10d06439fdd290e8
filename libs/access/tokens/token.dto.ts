import { ApiProperty } from '@nestjs/swagger';
import { ChoiceField, ChoiceListField, InstantField, TextField, UuidField } from '../http/field.decorators.js';
import { ROLES, SCOPES, type Role, type Scope } from '../principals/scopes.js';
import type { AccessToken } from './access-token.entity.js';
import type { IssuedToken } from './token.service.js';

/** What a new access token shall be. */
export class CreateTokenDto {
  @TextField({ max: 255, description: 'What the token is for.', example: 'gateway in eu-west' })
  name!: string;

  @ChoiceField(ROLES, { description: 'Bundle of scopes.', example: 'agent' })
  role!: Role;

  @ChoiceListField(SCOPES, {
    min: 1,
    max: SCOPES.length,
    optional: true,
    description: "A narrower choice from the role's scopes. Default: all of them.",
    example: ['decisions:write'],
  })
  scopes?: Scope[];

  @UuidField({ optional: true, description: 'The user whose token it is. It ends with the access of the user.' })
  user_id?: string;

  @InstantField({
    optional: true,
    description: 'Default: 90 days from now. At most one year from now.',
    example: '2027-02-18T13:00:00Z',
  })
  expires_at?: string;
}

/** An access token, without the token itself. */
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

  @ApiProperty({ format: 'date-time', example: '2026-11-20T13:00:00.000Z' })
  created_at!: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'null only for a token that the operator supplied.',
    example: '2027-02-18T13:00:00.000Z',
  })
  expires_at!: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'At most a minute behind.',
    example: null,
  })
  last_used_at!: string | null;
}

/** A new access token; the only answer that contains the token. */
export class CreatedTokenResponseDto extends TokenResponseDto {
  @ApiProperty({
    description: 'The bearer token. It is shown only here.',
    example: 'gov_<49 letters and digits>',
  })
  token!: string;
}

export function presentToken(token: AccessToken): TokenResponseDto {
  return {
    id: token.id,
    name: token.name,
    role: token.role,
    scopes: token.grants(),
    user_id: token.userId,
    created_at: token.createdAt.toISOString(),
    expires_at: token.expiresAt?.toISOString() ?? null,
    last_used_at: token.lastUsedAt?.toISOString() ?? null,
  };
}

export function presentIssuedToken({ record, token }: IssuedToken): CreatedTokenResponseDto {
  return Object.assign(presentToken(record), { token });
}
