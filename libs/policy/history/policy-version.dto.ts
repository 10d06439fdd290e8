import { Transform } from 'class-transformer';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { IntegerField } from '#access';
import { SEVERITIES, type Severity } from '#core';
import { POLICY_ACTIONS, type Conditions, type PolicyAction } from '../decide/index.js';
import { JSON_VALUE_SCHEMA } from '../json-value.schema.js';
import { CONDITIONS_SCHEMA } from '../policies/conditions.schema.js';
import { POLICY_NAME_MAX, type PolicyContent } from '../policies/policy-rules.js';
import type { JsonDifference } from './policy-diff.js';
import { POLICY_CHANGES, type PolicyAuthor, type PolicyChange } from '../policies/policy-version.js';
import { VERSION_MAX } from './version-number.decorators.js';

const UUID_EXAMPLE = '019aa0f2-7c31-7b5e-9d27-3a0c8f4f2a11';
const FIELDS: (keyof PolicyContent)[] = ['name', 'description', 'model', 'action', 'conditions', 'enabled', 'severity'];

// Nullable objects need an example here, because the OpenAPI document does not build one from their fields.

/** Example author of the API reference. */
export const AUTHOR_EXAMPLE: PolicyAuthor = {
  kind: 'token',
  id: '0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33',
  name: 'Grace Hopper',
  user_id: null,
};

/** Example content of the API reference. */
export const CONTENT_EXAMPLE: PolicyContent = {
  name: 'No GPT-4 outside research',
  description: 'Agreed with the CISO.',
  model: 'gpt-4*',
  action: 'block',
  conditions: { department: { not_in: ['Research'] } },
  enabled: true,
  severity: 'high',
};

/** Body of `POST /v1/policies/{id}/restore`. */
@ApiSchema({ name: 'GovernanceRestorePolicyDto' })
export class RestorePolicyDto {
  @IntegerField({ min: 1, max: VERSION_MAX, description: 'The version to restore.', example: 1 })
  version!: number;
}

/** Query of the comparison of versions. */
export class PolicyDiffQueryDto {
  @IntegerField({
    min: 1,
    max: VERSION_MAX,
    optional: true,
    description: 'The version to compare with. Default: the previous version.',
    example: 1,
  })
  @Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value,
  )
  against?: number;
}

/** The author of a change. */
@ApiSchema({ name: 'GovernancePolicyAuthorDto' })
export class PolicyAuthorDto implements PolicyAuthor {
  @ApiProperty({
    enum: ['token', 'jwt', 'host', 'cli'],
    description: 'Kind of credential.',
    example: 'token',
  })
  kind!: PolicyAuthor['kind'];

  @ApiProperty({
    description: 'Id of the credential; never a secret.',
    example: '0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33',
  })
  id!: string;

  @ApiProperty({ example: 'Grace Hopper' })
  name!: string;

  @ApiProperty({ type: String, nullable: true, description: 'The user that the credential belongs to.', example: null })
  user_id!: string | null;
}

/** The content of a policy. */
@ApiSchema({ name: 'GovernancePolicyContentDto' })
export class PolicyContentDto implements PolicyContent {
  @ApiProperty({ maxLength: POLICY_NAME_MAX, example: 'No GPT-4 outside research' })
  name!: string;

  @ApiProperty({ type: String, nullable: true, example: 'Agreed with the CISO.' })
  description!: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'Null: all models.', example: 'gpt-4*' })
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
    description: 'Null: the default severity of the action.',
    example: 'high',
  })
  severity!: Severity | null;
}

/** One change of a policy. */
@ApiSchema({ name: 'GovernancePolicyVersionEntryDto' })
export class PolicyVersionEntryDto {
  @ApiProperty({ format: 'uuid', example: UUID_EXAMPLE })
  policy_id!: string;

  @ApiProperty({ format: 'uuid', example: '019aa0f0-11d2-7f40-8a3c-5b1f0a9c7e22' })
  org_id!: string;

  @ApiProperty({ type: 'integer', minimum: 1, description: 'Increases by one with each change.', example: 2 })
  version!: number;

  @ApiProperty({ description: 'Name of the policy in this version.', example: 'No GPT-4 outside research' })
  name!: string;

  @ApiProperty({ enum: POLICY_CHANGES, description: 'What happened.', example: 'updated' })
  change!: PolicyChange;

  @ApiProperty({
    enum: FIELDS,
    isArray: true,
    description: 'Fields that differ from the previous version; empty for the first version and for a deletion.',
    example: ['conditions'],
  })
  changed_fields!: readonly (keyof PolicyContent)[];

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Only for the change `restored`: the version that was restored.',
    example: null,
  })
  restored_version!: number | null;

  @ApiProperty({ format: 'date-time', example: '2026-11-20T13:00:00.000Z' })
  changed_at!: string;

  @ApiProperty({ type: PolicyAuthorDto, description: 'Who did it.' })
  changed_by!: PolicyAuthor;
}

/** One version of a policy. */
@ApiSchema({ name: 'GovernancePolicyVersionDto' })
export class PolicyVersionDto extends PolicyVersionEntryDto {
  @ApiProperty({ type: PolicyContentDto, description: 'Content of this version; for a deletion, the last content.' })
  content!: PolicyContent;
}

@ApiSchema({ name: 'GovernanceJsonDifferenceDto' })
class JsonDifferenceDto implements JsonDifference {
  @ApiProperty({ description: 'A JSON pointer (RFC 6901) into the content.', example: '/conditions/department/not_in' })
  path!: string;

  @ApiProperty({
    ...JSON_VALUE_SCHEMA,
    required: false,
    description: 'Left out if the field did not exist before.',
    example: ['Research'],
  })
  before?: unknown;

  @ApiProperty({
    ...JSON_VALUE_SCHEMA,
    required: false,
    description: 'Left out if the field no longer exists.',
    example: ['Research', 'Engineering'],
  })
  after?: unknown;
}

/** The differences between two versions of a policy. */
@ApiSchema({ name: 'GovernancePolicyDiffDto' })
export class PolicyDiffDto {
  @ApiProperty({ format: 'uuid', example: UUID_EXAMPLE })
  policy_id!: string;

  @ApiProperty({ type: 'integer', description: 'The version that `after` belongs to.', example: 2 })
  version!: number;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'The version that `before` belongs to; null if the first version has no predecessor.',
    example: 1,
  })
  against!: number | null;

  @ApiProperty({ type: [JsonDifferenceDto], description: 'Lists are compared as a whole.' })
  changes!: readonly JsonDifference[];
}
