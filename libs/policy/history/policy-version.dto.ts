import { Transform } from 'class-transformer';
import { ApiSchema } from '@nestjs/swagger';
import { dtoOf, f, IntegerField } from '#access';
import { SEVERITIES } from '#core';
import { jsonValue } from '../json-value.schema.js';
import { POLICY_FIELDS } from '../policies/policy.dto.js';
import type { PolicyContent } from '../policies/policy-rules.js';
import type { JsonDifference } from './policy-diff.js';
import { POLICY_CHANGES, type PolicyAuthor } from '../policies/policy-version.js';
import { VERSION_MAX } from './version-number.decorators.js';

const UUID_EXAMPLE = '019aa0f2-7c31-7b5e-9d27-3a0c8f4f2a11';
const FIELDS: (keyof PolicyContent)[] = ['name', 'description', 'model', 'action', 'conditions', 'enabled', 'severity'];

// Nullable objects need an explicit example, because the OpenAPI document does not build one from the examples of their
// fields.

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
export class PolicyAuthorDto
  extends dtoOf({
    kind: f.choice<PolicyAuthor['kind']>(['token', 'jwt', 'host', 'cli'], 'token', 'Kind of credential.'),
    id: f.text('0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33', 'Id of the credential; never a secret.'),
    name: f.text('Grace Hopper'),
    user_id: f.text(null, 'The user that the credential belongs to.').nullable(),
  })
  implements PolicyAuthor {}

/** The content of a policy. */
@ApiSchema({ name: 'GovernancePolicyContentDto' })
export class PolicyContentDto
  extends dtoOf({
    ...POLICY_FIELDS,
    severity: f.choice(SEVERITIES, 'high', 'Null: the default severity of the action.').nullable(),
  })
  implements PolicyContent {}

/** One change of a policy. */
@ApiSchema({ name: 'GovernancePolicyVersionEntryDto' })
export class PolicyVersionEntryDto extends dtoOf({
  policy_id: f.uuid(UUID_EXAMPLE),
  org_id: f.uuid('019aa0f0-11d2-7f40-8a3c-5b1f0a9c7e22'),
  version: f.integer(2, 'Increases by one with each change.', { minimum: 1 }),
  name: f.text('No GPT-4 outside research', 'Name of the policy in this version.'),
  change: f.choice(POLICY_CHANGES, 'updated', 'What happened.'),
  changed_fields: f.of<readonly (keyof PolicyContent)[]>({
    enum: FIELDS,
    isArray: true,
    description: 'Fields that differ from the previous version; empty for the first version and for a deletion.',
    example: ['conditions'],
  }),
  restored_version: f.integer(null, 'Only for the change `restored`: the version that was restored.').nullable(),
  changed_at: f.instant('2026-11-20T13:00:00.000Z'),
  changed_by: f.nested(PolicyAuthorDto, 'Who did it.'),
}) {}

/** One version of a policy. */
@ApiSchema({ name: 'GovernancePolicyVersionDto' })
export class PolicyVersionDto extends dtoOf(PolicyVersionEntryDto, {
  content: f.nested(PolicyContentDto, 'Content of this version; for a deletion, the last content.'),
}) {}

@ApiSchema({ name: 'GovernanceJsonDifferenceDto' })
class JsonDifferenceDto
  extends dtoOf({
    path: f.text('/conditions/department/not_in', 'A JSON pointer (RFC 6901) into the content.'),
    before: jsonValue(['Research'], 'Left out if the field did not exist before.').optional(),
    after: jsonValue(['Research', 'Engineering'], 'Left out if the field no longer exists.').optional(),
  })
  implements JsonDifference {}

/** The differences between two versions of a policy. */
@ApiSchema({ name: 'GovernancePolicyDiffDto' })
export class PolicyDiffDto extends dtoOf({
  policy_id: f.uuid(UUID_EXAMPLE),
  version: f.integer(2, 'The version that `after` belongs to.'),
  against: f
    .integer(1, 'The version that `before` belongs to; null if the first version has no predecessor.')
    .nullable(),
  changes: f.listOf(JsonDifferenceDto, 'Lists are compared as a whole.'),
}) {}
