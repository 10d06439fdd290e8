import { ApiExtraModels, ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { f, dtoOf } from '#access';
import {
  DIMENSION_MAX_LENGTH,
  REGION_MAX_LENGTH,
  SERVICE_TIERS,
  TAGS_MAX,
  type JsonObject,
  type ServiceTier,
} from '#core';
import { MAX_EVENT_COST_USD, MAX_EVENT_REQUESTS, MAX_EVENT_TOKENS } from '../events/index.js';

/** Format of an event id. */
export const EVENT_ID = 'req_7f3a9c52';
export const USER_ID = '0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33';
/** OpenAPI description of a token count. */
export const tokens = (description: string, example: number) =>
  ({ type: 'integer', minimum: 0, maximum: MAX_EVENT_TOKENS, description, example }) as const;

/** Describes a reported usage event in the API reference. Hand-written checks, not this class, validate the body. */
@ApiSchema({ name: 'GovernanceUsageEventDto' })
export class UsageEventDto {
  @ApiProperty({
    minLength: 1,
    maxLength: 255,
    description: 'Idempotency key: the event counts once, even if you send it again.',
    example: EVENT_ID,
  })
  id!: string;

  @ApiPropertyOptional({
    format: 'uuid',
    description: 'Id of the user. Required without user_email. If you send both, user_id wins.',
    example: USER_ID,
  })
  user_id?: string;

  @ApiPropertyOptional({
    format: 'email',
    description:
      'E-mail address of the user, compared without case. Ignored if you send user_id, even if the two name different users.',
    example: 'ada@example.com',
  })
  user_email?: string;

  @ApiProperty({ minLength: 1, maxLength: 255, example: 'openai' })
  provider!: string;

  @ApiProperty({ minLength: 1, maxLength: 255, example: 'gpt-4o' })
  model!: string;

  @ApiProperty({
    format: 'date-time',
    description: 'At most 90 days ago and 5 minutes ahead.',
    example: '2026-11-20T12:59:03Z',
  })
  occurred_at!: string;

  @ApiPropertyOptional(tokens('All prompt tokens, cached ones included. Required without usage.', 1_250))
  input_tokens?: number;

  @ApiPropertyOptional(tokens('All completion tokens, reasoning included. Required without usage.', 310))
  output_tokens?: number;

  @ApiPropertyOptional(tokens('Input tokens read from a cache.', 1_000))
  cache_read_tokens?: number;

  @ApiPropertyOptional(tokens('Input tokens written to a cache.', 0))
  cache_write_tokens?: number;

  @ApiPropertyOptional(tokens('Output tokens used for reasoning.', 120))
  reasoning_tokens?: number;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: "The unchanged usage object of the provider's answer, instead of token counts.",
    example: { prompt_tokens: 1250, completion_tokens: 310 },
  })
  usage?: JsonObject;

  @ApiPropertyOptional({ description: 'Form of usage: chat, responses, anthropic, …', example: 'chat' })
  api_flavor?: string;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MAX_EVENT_REQUESTS,
    default: 1,
    description: 'Number of requests that the event covers.',
  })
  requests?: number;

  @ApiPropertyOptional({
    enum: SERVICE_TIERS,
    description: 'The tier that served the request. Default: the tier that `usage` names, or else standard.',
    example: 'standard',
  })
  service_tier?: ServiceTier;

  @ApiPropertyOptional({
    minLength: 1,
    maxLength: REGION_MAX_LENGTH,
    description: "The provider's region that served the request. Default: the region that `usage` names.",
    example: 'eu-west-1',
  })
  region?: string;

  @ApiPropertyOptional({
    oneOf: [{ type: 'number' }, { type: 'string' }],
    description: `What it cost, from 0 to ${MAX_EVENT_COST_USD} US dollars, if you know the cost better than the catalogue does. A string is taken exactly.`,
    example: '0.0042',
  })
  cost_usd?: number | string;

  @ApiPropertyOptional({
    format: 'uuid',
    description: 'The decision that allowed the request.',
    example: '0199c2a8-7777-7d10-8c52-1f0a7e9d4b33',
  })
  decision_id?: string;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    minLength: 1,
    maxLength: DIMENSION_MAX_LENGTH,
    description: 'Project of the usage; reports and budgets group by it. Default: the project of the decision.',
    example: 'copilot',
  })
  project?: string | null;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'string', minLength: 1, maxLength: DIMENSION_MAX_LENGTH },
    nullable: true,
    maxProperties: TAGS_MAX,
    description:
      'Up to 8 labels to group by; keys are 1 to 63 letters, digits and `_ . / : -`. Default: the tags of the decision. ' +
      'Put values that differ from call to call into metadata.',
    example: { team: 'search' },
  })
  tags?: Record<string, string> | null;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'At most 16 KiB, 8 levels deep.',
    example: { app: 'chat' },
  })
  metadata?: JsonObject;
}

/** The JSON form of a batch. */
@ApiExtraModels(UsageEventDto)
@ApiSchema({ name: 'GovernanceUsageBatchDto' })
export class UsageBatchDto extends dtoOf({
  events: f.of<UsageEventDto[]>({ type: [UsageEventDto], minItems: 1, maxItems: 1_000 }),
}) {}

/** A rejected event. */
@ApiSchema({ name: 'GovernanceRejectedEventDto' })
export class RejectedEventDto extends dtoOf({
  index: f.integer(3, 'Position in the batch, starting at 0.'),
  id: f.text(EVENT_ID, 'Id of the event; null if it is missing or invalid, and if the message is `same`.').nullable(),
  field: f.text('user_email', 'The invalid field.'),
  message: f.text(
    'names no user of your organization; create the user first',
    'What to change. Starts with `conflict` if the id is already stored with other content. `same` if naming every ' +
      'event in full would make the answer larger than 64 KiB and twice the request: the events before it name the fault.',
  ),
}) {}

/** A project or tag value beyond the number of values that reports distinguish. */
@ApiSchema({ name: 'GovernanceUsageNoteDto' })
export class UsageNoteDto extends dtoOf({
  index: f.integer(3, 'Position in the batch, starting at 0.'),
  field: f.text('tags.request', 'The project or tag.'),
  message: f.text(
    'is beyond the 1000 values that reports tell apart; the event counts under (other). Put values that differ from call to call into metadata',
    'How the stored event counts, and how to correct it.',
  ),
}) {}

/** Result of a batch. */
@ApiSchema({ name: 'GovernanceUsageReceiptDto' })
export class UsageReceiptDto {
  @ApiProperty({ type: 'integer', example: 997 })
  accepted!: number;

  @ApiProperty({
    type: 'integer',
    description: 'Number of events that were already stored with the same content.',
    example: 2,
  })
  duplicates!: number;

  @ApiProperty({ type: [RejectedEventDto] })
  rejected!: RejectedEventDto[];

  @ApiPropertyOptional({
    type: [UsageNoteDto],
    description:
      'Stored events whose project or tags count as `(other)` in reports, at most 10. Absent if there are none.',
  })
  notes?: UsageNoteDto[];
}
