import { ApiSchema } from '@nestjs/swagger';
import { DIMENSION_MAX_LENGTH, projectDefect, TAGS_MAX, tagsDefect, type Tags } from '#core';
import * as f from '../http/dto-fields.js';
import { dtoOf } from '../http/dto.js';
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
import type { TokenBudget, TokenLimits } from '../tokens/token-allowances.js';
import { BUDGET_SCHEMA, budgetFault, LIMITS_SCHEMA, limitsFault } from './token-allowance-fields.js';
import { TOKEN_ORDERS } from '../tokens/token-list.service.js';
import { OVERLAP_HOURS_MAX } from '../tokens/token-rotation.js';

/** Body to create an access token. */
@ApiSchema({ name: 'GovernanceCreateTokenDto' })
export class CreateTokenDto {
  @TextField({ max: 255, description: 'Purpose of the token.', example: 'gateway in eu-west' })
  name!: string;

  @ChoiceField(ROLES, { description: 'Bundle of scopes.', example: 'agent' })
  role!: Role;

  @ChoiceListField(SCOPES, {
    min: 1,
    max: SCOPES.length,
    optional: true,
    description: "Some of the role's scopes. Default: all of them.",
    example: ['decisions:write'],
  })
  scopes?: Scope[];

  @UuidField({
    optional: true,
    description:
      'The user to whom the token belongs. Default: you, for the roles admin, auditor and member; nobody for agent and ' +
      'scim, or if no person is behind your token. The token ends with the access of its user.',
  })
  user_id?: string;

  @InstantField({
    optional: true,
    description:
      'Default: 90 days from now, or the expiry of your own token if that is earlier. At most one year from now, and no ' +
      'later than your own token; by a sign-in, at most `sign_in_token_max_days` of the organization.',
    example: '2027-02-18T13:00:00Z',
  })
  expires_at?: string;

  @CheckedField(
    {
      optional: true,
      nullable: true,
      description: 'Models for which the token is valid: names, or patterns with `*`. Default: all.',
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
      description: 'Project of all requests with this token, whatever they name.',
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
      description: 'Tags of all requests with this token. They override tags with the same key.',
      example: { team: 'search' },
    },
    { type: 'object', maxProperties: TAGS_MAX, additionalProperties: { type: 'string' } },
    value => tagsDefect(value)?.message,
  )
  tags?: Tags | null;

  @CheckedField(
    {
      optional: true,
      nullable: true,
      description: 'A budget of its own. Needs `budgets:write`. `block` refuses requests when it is spent.',
      example: { amount_usd: 50, period: 'monthly' },
    },
    BUDGET_SCHEMA,
    budgetFault,
  )
  budget?: TokenBudget | null;

  @CheckedField(
    {
      optional: true,
      nullable: true,
      description: 'Limits of its own. Needs `budgets:write`.',
      example: { requests_per_minute: 60 },
    },
    LIMITS_SCHEMA,
    limitsFault,
  )
  limits?: TokenLimits | null;
}

/** Body of `POST /v1/tokens/{id}/rotate`. */
@ApiSchema({ name: 'GovernanceRotateTokenDto' })
export class RotateTokenDto {
  @NumberField({
    min: 0,
    max: OVERLAP_HOURS_MAX,
    optional: true,
    description: 'Hours in which the previous secret is still accepted. Default: 24.',
    example: 24,
  })
  overlap_hours?: number;
}

/** Filters of the list of access tokens. */
export class ListTokensQueryDto extends PageQueryDto {
  @TextField({
    max: 255,
    optional: true,
    description: 'Only tokens that this user or subject created, also indirectly.',
  })
  issued_by?: string;

  @UuidField({ optional: true, description: 'Only tokens of this user.' })
  user_id?: string;

  @TextField({ max: DIMENSION_MAX_LENGTH, optional: true, description: 'Only tokens for this project.' })
  project?: string;

  @ChoiceField(TOKEN_ORDERS, {
    optional: true,
    default: 'newest',
    description:
      'Order: the newest first, or by expiry (`expires_at`, the first to expire first). With `-`, the last to expire ' +
      'first. A token without an expiry counts as the last.',
  })
  sort?: (typeof TOKEN_ORDERS)[number];
}

/** Selects the access tokens to revoke. */
export class RevokeTokensQueryDto {
  @TextField({
    max: 255,
    description: 'The user or subject who created the tokens, also indirectly.',
  })
  issued_by!: string;
}

/** Result of a revocation of several access tokens. */
@ApiSchema({ name: 'GovernanceRevokedTokensDto' })
export class RevokedTokensDto extends dtoOf({
  revoked: f.integer(2),
}) {}
