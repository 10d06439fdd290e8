import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray, ValidateNested } from 'class-validator';
import { CheckedField, ChoiceField, dtoOf, f, IntegerField, TextField, UuidField } from '#access';
import {
  DIMENSION_MAX_LENGTH,
  projectDefect,
  REGION_MAX_LENGTH,
  regionDefect,
  SERVICE_TIERS,
  TAGS_MAX,
  tagsDefect,
  type ServiceTier,
  type Tags,
} from '#core';
import { DecisionResponseDto } from './decision-response.dto.js';
import { DECISION_LIMITS } from './parse-decision.js';

const UUID_EXAMPLE = '019aa0f2-7c31-7b5e-9d27-3a0c8f4f2a11';

/** Body of `POST /v1/decisions`. It documents what `parseDecision` checks. */
@ApiSchema({ name: 'GovernanceDecisionRequestDto' })
export class DecisionRequestDto {
  @UuidField({
    optional: true,
    description: 'Id of the person. Required if user_email is missing. If you send both, user_id is used.',
    example: UUID_EXAMPLE,
  })
  user_id?: string;

  @TextField({
    max: DECISION_LIMITS.email,
    pattern: /@/,
    hint: 'must be an e-mail address',
    optional: true,
    description: 'E-mail address of the person, compared without case. Ignored if you send user_id.',
    example: 'ada@example.com',
  })
  user_email?: string;

  @TextField({
    max: DECISION_LIMITS.text,
    description: 'The provider’s name of the model.',
    example: 'gpt-4o',
  })
  model!: string;

  @TextField({ max: DECISION_LIMITS.text, description: 'Name of the provider.', example: 'openai' })
  provider!: string;

  @TextField({
    max: DECISION_LIMITS.text,
    optional: true,
    description:
      'The device that sends the request, for conditions on device_status. A device that is not enrolled, or that ' +
      'belongs to another user, has the status unknown.',
    example: UUID_EXAMPLE,
  })
  device_id?: string;

  @CheckedField(
    {
      optional: true,
      example: { project: 'apollo' },
      description:
        'Your own attributes; conditions refer to them as `attributes.<key>`. If the directory has the same key, ' +
        'its value is used.',
    },
    {
      type: 'object',
      maxProperties: DECISION_LIMITS.attributes,
      additionalProperties: {
        oneOf: [{ type: 'string', maxLength: DECISION_LIMITS.attributeText }, { type: 'number' }, { type: 'boolean' }],
        nullable: true,
      },
    },
    attributesFault,
  )
  attributes?: Record<string, string | number | boolean | null>;

  @CheckedField(
    {
      optional: true,
      nullable: true,
      description:
        'The project that the request belongs to. Used by conditions on `project`, and by budgets and limits.',
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
      description: `Up to ${TAGS_MAX} labels. Used by conditions on \`tags.<key>\`, and by budgets and limits.`,
      example: { team: 'search' },
    },
    { type: 'object', maxProperties: TAGS_MAX, additionalProperties: { type: 'string' } },
    value => tagsDefect(value)?.message,
  )
  tags?: Tags | null;

  @IntegerField({
    min: 0,
    max: DECISION_LIMITS.tokens,
    optional: true,
    description: 'Estimated number of input tokens of the request.',
    example: 1200,
  })
  estimated_input_tokens?: number;

  @IntegerField({
    min: 0,
    max: DECISION_LIMITS.tokens,
    optional: true,
    description: 'Maximum number of output tokens that the request allows.',
    example: 800,
  })
  max_output_tokens?: number;

  @ChoiceField(SERVICE_TIERS, {
    optional: true,
    description: 'Tier that the request asks for, for the cost to reserve. Default: standard.',
  })
  service_tier?: ServiceTier;

  @CheckedField(
    {
      optional: true,
      description: "The provider's region that will serve the request, for the cost to reserve.",
      example: 'eu-west-1',
    },
    { type: String, minLength: 1, maxLength: REGION_MAX_LENGTH },
    regionDefect,
  )
  region?: string;

  @TextField({
    max: DECISION_LIMITS.text,
    optional: true,
    description:
      'A repeated key with the same body returns the same decision on every replica. With another body, the answer ' +
      'is 409.',
    example: 'req-7f3a',
  })
  idempotency_key?: string;
}

/** Body of `POST /v1/decisions/batch`. */
@ApiSchema({ name: 'GovernanceDecisionBatchRequestDto' })
export class DecisionBatchRequestDto {
  @ApiProperty({ type: [DecisionRequestDto], minItems: 1, maxItems: DECISION_LIMITS.batch })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(DECISION_LIMITS.batch)
  @ValidateNested({ each: true })
  @Type(() => DecisionRequestDto)
  requests!: DecisionRequestDto[];
}

/** A recorded decision with its inputs. */
@ApiSchema({ name: 'GovernanceRecordedDecisionDto' })
export class RecordedDecisionDto extends dtoOf(DecisionResponseDto, {
  org_id: f.uuid('019aa0f0-11d2-7f40-8a3c-5b1f0a9c7e22'),
  user_id: f.uuid(UUID_EXAMPLE).nullable(),
  user_email: f.text('ada@example.com').nullable(),
  provider: f.text('openai'),
  model: f.text('gpt-4o'),
  attributes: f.record(
    { name: 'Ada', department: 'Sales', role: 'member', status: 'active', attributes: { project: 'apollo' } },
    'Attributes of the person at that time. `attributes` holds those of the organization and of the request. ' +
      '`device_id` and `device_status` are present if the request names a device. `project` and `tags` come from ' +
      'the request.',
  ),
  idempotency_key: f.text('req-7f3a').nullable(),
  sample_rate: f.decimal(
    1,
    'Share of such decisions that are recorded: this record represents 1 / sample_rate decisions. Below 1 only ' +
      'if allowed decisions are sampled.',
    { minimum: 0, maximum: 1 },
  ),
}) {}

function attributesFault(value: unknown): string | undefined {
  const scalar = (entry: unknown) => entry === null || ['string', 'number', 'boolean'].includes(typeof entry);
  const fits =
    typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(scalar);
  return fits ? undefined : 'must be an object of strings, numbers, booleans and nulls';
}
