import { ApiSchema } from '@nestjs/swagger';
import {
  CheckedField,
  dtoOf,
  f,
  FlagField,
  TextField,
  type AccessToken,
  type Actor,
  type MachineTokens,
  type Role,
} from '#access';
import { departureDateDefect } from '../lifecycle/departure.js';
import type { User } from '../user.entity.js';
import { UserResponseDto } from './user.dto.js';
import { presentUser } from './user.presenter.js';

/** Body of an offboarding. */
@ApiSchema({ name: 'GovernanceOffboardUserDto' })
export class OffboardUserDto {
  @CheckedField(
    {
      optional: true,
      description:
        "When access ends: a time, or a day, which begins in the organization's time zone. Access ends at once if the date " +
        'is missing or in the past.',
      example: '2026-12-31',
    },
    { type: String, oneOf: [{ format: 'date' }, { format: 'date-time' }] },
    departureDateDefect,
  )
  departure_date?: string;

  @TextField({
    max: 255,
    optional: true,
    description: 'Reason; stored with the user and sent with `user_locked_out`.',
    example: 'End of contract',
  })
  reason?: string;

  @FlagField({
    optional: true,
    description:
      'Revoke the tokens of the roles agent and scim that the user created, when access ends. Needs `tokens:write`. ' +
      'Default: false; the tokens remain valid.',
    example: true,
  })
  revoke_machine_tokens?: boolean;
}

/** Body of a step without details. */
@ApiSchema({ name: 'GovernanceNoDetailsDto' })
export class NoDetailsDto {}

@ApiSchema({ name: 'GovernanceMachineTokenDto' })
class MachineTokenDto extends dtoOf({
  id: f.uuid('0199c2a8-5f10-7c3e-9a41-3f5d8e2b7c60'),
  name: f.text('gateway in eu-west'),
  role: f.of<Role>({ enum: ['agent', 'scim'], example: 'agent' }),
  created_at: f.instant('2026-11-20T13:00:00.000Z'),
  expires_at: f.instant('2027-02-18T13:00:00.000Z').nullable(),
  revoked: f.flag(false, 'Whether this request revoked the token.'),
}) {}

/** A user after an offboarding, with the machine tokens that the user created. */
@ApiSchema({ name: 'GovernanceOffboardedUserDto' })
export class OffboardedUserDto extends dtoOf(UserResponseDto, {
  machine_tokens: f
    .listOf(
      MachineTokenDto,
      'Tokens of the roles agent and scim that the user created, also indirectly, newest first, at most 100. They remain ' +
        'valid until they are revoked. Null without the scope `tokens:read`.',
    )
    .nullable(),
  machine_tokens_total: f.integer(1, 'Number of machine tokens. Null without the scope `tokens:read`.').nullable(),
}) {}

/** The answer to an offboarding. */
export async function presentOffboarded(user: User, actor: Actor, machines: MachineTokens): Promise<OffboardedUserDto> {
  const may = actor.scopes.has('tokens:read');
  const made = may ? await machines.madeBy(user.orgId, user.id, user.updatedAt) : null;
  return Object.assign(presentUser(user), {
    machine_tokens: made?.tokens.map(presentMachineToken) ?? null,
    machine_tokens_total: made?.total ?? null,
  });
}

function presentMachineToken({ id, name, role, createdAt, expiresAt, revokedAt }: AccessToken): MachineTokenDto {
  return {
    ...{ id, name, role },
    created_at: createdAt.toISOString(),
    expires_at: expiresAt?.toISOString() ?? null,
    revoked: revokedAt !== null,
  };
}
