import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { DIMENSION_MAX_LENGTH, projectDefect, TAGS_MAX, tagsDefect, type Tags } from '#core';
import {
  CheckedField,
  ChoiceField,
  ChoiceListField,
  InstantField,
  NumberField,
  TextField,
  UuidField,
} from '../http/field.decorators.js';
import { PageQueryDto } from '../http/page.dto.js';
import { ROLES, SCOPES, type Role, type Scope } from '../principals/scopes.js';
import { modelsFault, TOKEN_MODEL_MAX, TOKEN_MODELS_MAX } from '../tokens/token-bounds.js';
import { OVERLAP_HOURS_MAX } from '../tokens/token-rotation.js';

/** What a new access token shall be. */
@ApiSchema({ name: 'GovernanceCreateTokenDto' })
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

  @UuidField({
    optional: true,
    description:
      'The user whose token it is. Default: you, for the roles admin, auditor and member; nobody for agent and scim, and ' +
      'where no person is behind your token. It ends with the access of its user.',
  })
  user_id?: string;

  @InstantField({
    optional: true,
    description:
      'Default: 90 days from now, or as long as the token that you make it with. At most one year from now, and no ' +
      'later than that token; by a sign-in, at most `sign_in_token_max_days` of the organization.',
    example: '2027-02-18T13:00:00Z',
  })
  expires_at?: string;

  @CheckedField(
    {
      optional: true,
      nullable: true,
      description: 'Names of models or patterns with `*` that may be asked for with it. Default: all.',
      example: ['gpt-4o*'],
    },
    { type: 'array', items: { type: 'string', maxLength: TOKEN_MODEL_MAX }, minItems: 1, maxItems: TOKEN_MODELS_MAX },
    modelsFault,
  )
  models?: string[] | null;

  @CheckedField(
    {
      optional: true,
      nullable: true,
      description: 'What requests with it are for, whatever they say themselves.',
      example: 'copilot',
    },
    { type: String, minLength: 1, maxLength: DIMENSION_MAX_LENGTH },
    value => projectDefect(value)?.message,
  )
  project?: string | null;

  @CheckedField(
    {
      optional: true,
      nullable: true,
      description: 'Labels of requests with it, whatever they say of the same keys.',
      example: { team: 'search' },
    },
    { type: 'object', maxProperties: TAGS_MAX, additionalProperties: { type: 'string' } },
    value => tagsDefect(value)?.message,
  )
  tags?: Tags | null;
}

/** Body of `POST /v1/tokens/{id}/rotate`. */
@ApiSchema({ name: 'GovernanceRotateTokenDto' })
export class RotateTokenDto {
  @NumberField({
    min: 0,
    max: OVERLAP_HOURS_MAX,
    optional: true,
    description: 'For how many hours the former secret is accepted, too. Default: 24.',
    example: 24,
  })
  overlap_hours?: number;
}

/** Which access tokens to list. */
export class ListTokensQueryDto extends PageQueryDto {
  @TextField({ max: 255, optional: true, description: 'Only tokens that this user or subject made, also indirectly.' })
  issued_by?: string;

  @UuidField({ optional: true, description: 'Only tokens of this user.' })
  user_id?: string;

  @TextField({ max: DIMENSION_MAX_LENGTH, optional: true, description: 'Only tokens for this project.' })
  project?: string;
}

/** Which access tokens to revoke. */
export class RevokeTokensQueryDto {
  @TextField({
    max: 255,
    description: 'The user or subject whose tokens are revoked: those that they made, also indirectly.',
  })
  issued_by!: string;
}

/** How many access tokens were revoked. */
@ApiSchema({ name: 'GovernanceRevokedTokensDto' })
export class RevokedTokensDto {
  @ApiProperty({ type: 'integer', example: 2 })
  revoked!: number;
}
