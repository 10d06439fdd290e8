import * as f from '../http/dto-fields.js';
import { dtoOf } from '../http/dto.js';
import { presenterOf } from '../http/presenter.js';
import { ApiSchema } from '@nestjs/swagger';
import type { Tags } from '#core';
import { ROLES, SCOPES } from '../principals/scopes.js';
import type { AccessToken } from '../tokens/access-token.entity.js';
import type { ShownAllowance } from '../tokens/token-allowances.js';
import type { TokenKey } from '../tokens/token-keys.js';
import { ALLOWANCE_FIELDS } from './token-allowance-fields.js';

/** An access token without its secret. */
@ApiSchema({ name: 'GovernanceTokenResponseDto' })
export class TokenResponseDto extends dtoOf({
  id: f.uuid('0199c2a8-5f10-7c3e-9a41-3f5d8e2b7c60'),
  name: f.text('gateway in eu-west'),
  role: f.choice(ROLES, 'agent'),
  scopes: f.choices(SCOPES, ['decisions:write', 'usage:write']),
  user_id: f.uuid(null).nullable(),
  issued_by: f.texts(
    ['0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33'],
    'The users or subjects who created it, the last first. Empty if the operator created it, also with a token.',
  ),
  issued_by_nobody: f.flag(
    false,
    'Whether its chain of creators contains a credential without a person: the operator’s token, or a sign-in of no ' +
      'user. Such a token cannot approve as a person.',
  ),
  issued_by_token: f
    .uuid(null, 'The token with which it was created. Null if created by a sign-in or by the operator.')
    .nullable(),
  created_at: f.instant('2026-11-20T13:00:00.000Z'),
  expires_at: f.instant('2027-02-18T13:00:00.000Z', 'Null only for a token that the operator configured.').nullable(),
  last_used_at: f.instant(null, 'Time of the last use, accurate to a minute.').nullable(),
  models: f.texts(['gpt-4o*'], 'Null: all models.').nullable(),
  project: f.text('copilot', 'Null: as each request says.').nullable(),
  tags: f
    .of<Tags>({
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Null: as each request says.',
      example: { team: 'search' },
    })
    .nullable(),
  rotated_at: f.instant(null, 'Time of the last rotation.').nullable(),
  previous_until: f.instant(null, 'Until then the previous secret is accepted; null without a rotation.').nullable(),
  ...ALLOWANCE_FIELDS,
}) {}

/** A new access token with its secret. No later response contains the secret. */
@ApiSchema({ name: 'GovernanceCreatedTokenResponseDto' })
export class CreatedTokenResponseDto extends dtoOf(TokenResponseDto, {
  token: f.text('gov_<49 letters and digits>', 'The bearer token. It is shown only here.'),
}) {}

export const presentToken = presenterOf(TokenResponseDto, (token: AccessToken, allowance: ShownAllowance) => ({
  scopes: token.grants(),
  issued_by: [...token.issuedBy],
  models: token.models && [...token.models],
  budget: allowance.budget,
  limits: allowance.limits,
  spent_usd: allowance.spentUsd,
}));

/** A token with its secret. */
export function presentIssuedToken(secret: string, { token, allowance }: TokenKey): CreatedTokenResponseDto {
  return Object.assign(presentToken(token, allowance), { token: secret });
}
