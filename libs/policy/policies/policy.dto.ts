import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { CheckedField, ChoiceField, FlagField, IgnoresReadOnly } from '#access';
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

const NAME = {
  description: 'Name shown to people. Must not be blank. Length counts Unicode code points.',
  example: 'No GPT-4 outside research',
};
const NAME_SCHEMA = { type: String, minLength: 1, maxLength: POLICY_NAME_MAX } as const;
const DESCRIPTION = { optional: true, nullable: true, description: 'Free text.', example: 'Agreed with the CISO.' };
const DESCRIPTION_SCHEMA = { type: String, maxLength: POLICY_DESCRIPTION_MAX } as const;
const MODEL = {
  optional: true,
  nullable: true,
  description: 'A model name, a pattern in which `*` matches any characters, or null for all models.',
  example: 'gpt-4*',
};
const MODEL_SCHEMA = { type: String, minLength: 1, maxLength: 255 } as const;
const ACTION = {
  description: 'What happens when the policy matches. `block` wins over `require_approval` over `alert` over `allow`.',
  example: 'block',
};
const ENABLED = { optional: true, description: 'Disabled policies are not evaluated.', example: true };
const SEVERITY = {
  optional: true,
  nullable: true,
  description: 'Severity of its violations. Null: the default of the action, `high` for block and `medium` for alert.',
  example: 'high',
};

// `conditions` is validated separately, because each of its faults is reported with its own path.
const anything = () => undefined;

/** Body of `POST /v1/policies`. */
@IgnoresReadOnly('id', 'org_id', 'created_at', 'updated_at', 'version')
@ApiSchema({ name: 'GovernanceCreatePolicyDto' })
export class CreatePolicyDto {
  @CheckedField(NAME, NAME_SCHEMA, nameFault)
  name!: string;

  @CheckedField(DESCRIPTION, DESCRIPTION_SCHEMA, descriptionFault)
  description?: string | null;

  @CheckedField({ ...MODEL, default: null }, MODEL_SCHEMA, modelFault)
  model?: string | null;

  @ChoiceField(POLICY_ACTIONS, ACTION)
  action!: PolicyAction;

  @CheckedField({ optional: true, default: {} }, CONDITIONS_SCHEMA, anything)
  conditions?: Conditions;

  @FlagField({ ...ENABLED, default: true })
  enabled?: boolean;

  @ChoiceField(SEVERITIES, SEVERITY)
  severity?: Severity | null;
}

/** Body of `PUT /v1/policies/{id}`: only the supplied fields change. */
@IgnoresReadOnly('id', 'org_id', 'created_at', 'updated_at', 'version')
@ApiSchema({ name: 'GovernanceUpdatePolicyDto' })
export class UpdatePolicyDto {
  @CheckedField({ ...NAME, optional: true }, NAME_SCHEMA, nameFault)
  name?: string;

  @CheckedField(DESCRIPTION, DESCRIPTION_SCHEMA, descriptionFault)
  description?: string | null;

  @CheckedField(MODEL, MODEL_SCHEMA, modelFault)
  model?: string | null;

  @ChoiceField(POLICY_ACTIONS, { ...ACTION, optional: true })
  action?: PolicyAction;

  @CheckedField({ optional: true }, CONDITIONS_SCHEMA, anything)
  conditions?: Conditions;

  @FlagField(ENABLED)
  enabled?: boolean;

  @ChoiceField(SEVERITIES, SEVERITY)
  severity?: Severity | null;
}

/** A policy as it is shown (interface specification, section 2.1). */
@ApiSchema({ name: 'GovernancePolicyResponseDto' })
export class PolicyResponseDto {
  @ApiProperty({ format: 'uuid', example: '019aa0f2-7c31-7b5e-9d27-3a0c8f4f2a11' })
  id!: string;

  @ApiProperty({ format: 'uuid', example: '019aa0f0-11d2-7f40-8a3c-5b1f0a9c7e22' })
  org_id!: string;

  @ApiProperty({ maxLength: POLICY_NAME_MAX, example: NAME.example })
  name!: string;

  @ApiProperty({ type: String, nullable: true, example: DESCRIPTION.example })
  description!: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'Null: all models.', example: MODEL.example })
  model!: string | null;

  @ApiProperty({ enum: POLICY_ACTIONS, example: 'block' })
  action!: PolicyAction;

  @ApiProperty({ ...CONDITIONS_SCHEMA, description: 'The conditions as sent; the order of keys may differ.' })
  conditions!: Conditions;

  @ApiProperty({ example: true })
  enabled!: boolean;

  @ApiProperty({
    enum: SEVERITIES,
    nullable: true,
    description: 'Null if the action raises no violation.',
    example: 'high',
  })
  severity!: Severity | null;

  @ApiProperty({ type: 'integer', minimum: 1, description: 'Increases by one with each change.', example: 1 })
  version!: number;

  @ApiProperty({ format: 'date-time', example: '2026-11-20T13:00:00.000Z' })
  created_at!: string;

  @ApiProperty({ format: 'date-time', example: '2026-11-20T13:00:00.000Z' })
  updated_at!: string;
}
