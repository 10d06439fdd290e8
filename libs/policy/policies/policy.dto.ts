import { ApiSchema } from '@nestjs/swagger';
import { CheckedField, ChoiceField, dtoOf, f, FlagField, IgnoresReadOnly, partialOf } from '#access';
import { POLICY_ACTIONS, type Conditions, type PolicyAction, type Severity } from '../decide/index.js';
import { CONDITIONS_SCHEMA } from './conditions.schema.js';
import {
  descriptionFault,
  modelFault,
  nameFault,
  POLICY_DESCRIPTION_MAX,
  POLICY_NAME_MAX,
  SEVERITIES,
} from './policy-rules.js';

const READ_ONLY = ['id', 'org_id', 'created_at', 'updated_at', 'version'];
const NAME = 'No GPT-4 outside research';
const DESCRIPTION = 'Agreed with the CISO.';
const MODEL = 'gpt-4*';

// `conditions` is validated elsewhere, because each of its errors is reported with its own path.
const anything = () => undefined;

/** Body of `POST /v1/policies`. */
@IgnoresReadOnly(...READ_ONLY)
@ApiSchema({ name: 'GovernanceCreatePolicyDto' })
export class CreatePolicyDto {
  @CheckedField(
    {
      description: 'Name shown to people. Must not be blank. Length counts Unicode code points.',
      example: NAME,
    },
    { type: String, minLength: 1, maxLength: POLICY_NAME_MAX },
    nameFault,
  )
  name!: string;

  @CheckedField(
    { optional: true, nullable: true, description: 'Free text.', example: DESCRIPTION },
    { type: String, maxLength: POLICY_DESCRIPTION_MAX },
    descriptionFault,
  )
  description?: string | null;

  @CheckedField(
    {
      ...{ optional: true, nullable: true, default: null },
      description: 'A model name, a pattern in which `*` matches any characters, or null for all models.',
      example: MODEL,
    },
    { type: String, minLength: 1, maxLength: 255 },
    modelFault,
  )
  model?: string | null;

  @ChoiceField(POLICY_ACTIONS, {
    description:
      'What happens when the policy matches. `block` wins over `require_approval` over `alert` over `allow`.',
    example: 'block',
  })
  action!: PolicyAction;

  @CheckedField({ optional: true, default: {} }, CONDITIONS_SCHEMA, anything)
  conditions?: Conditions;

  @FlagField({ optional: true, default: true, description: 'Disabled policies are not evaluated.', example: true })
  enabled?: boolean;

  @ChoiceField(SEVERITIES, {
    ...{ optional: true, nullable: true },
    description:
      'Severity of its violations. Null: the default of the action, `high` for block and `medium` for alert.',
    example: 'high',
  })
  severity?: Severity | null;
}

/** Body of `PUT /v1/policies/{id}`: only the supplied fields change. */
@IgnoresReadOnly(...READ_ONLY)
@ApiSchema({ name: 'GovernanceUpdatePolicyDto' })
export class UpdatePolicyDto extends partialOf(CreatePolicyDto) {}

/** The fields of a policy's content in responses, except its severity. */
export const POLICY_FIELDS = {
  name: f.text(NAME, undefined, { maxLength: POLICY_NAME_MAX }),
  description: f.text(DESCRIPTION).nullable(),
  model: f.text(MODEL, 'Null: all models.').nullable(),
  action: f.choice(POLICY_ACTIONS, 'block'),
  conditions: f.of<Conditions>({
    ...CONDITIONS_SCHEMA,
    description: 'The conditions as sent; the order of keys may differ.',
  }),
  enabled: f.flag(true),
};

/** A policy in responses (interface specification, section 2.1). */
@ApiSchema({ name: 'GovernancePolicyResponseDto' })
export class PolicyResponseDto extends dtoOf({
  id: f.uuid('019aa0f2-7c31-7b5e-9d27-3a0c8f4f2a11'),
  org_id: f.uuid('019aa0f0-11d2-7f40-8a3c-5b1f0a9c7e22'),
  ...POLICY_FIELDS,
  severity: f.choice(SEVERITIES, 'high', 'Null if the action raises no violation.').nullable(),
  version: f.integer(1, 'Increases by one with each change.', { minimum: 1 }),
  created_at: f.instant('2026-11-20T13:00:00.000Z'),
  updated_at: f.instant('2026-11-20T13:00:00.000Z'),
}) {}
