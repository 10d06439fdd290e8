import { ApiExtraModels, ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { DIMENSION_MAX_LENGTH, TAGS_MAX, type JsonObject } from '#core';
import { MAX_EVENT_COST_USD, MAX_EVENT_REQUESTS, MAX_EVENT_TOKENS } from '../events/index.js';

/** An id as senders make it. */
export const EVENT_ID = 'req_7f3a9c52';
export const USER_ID = '0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33';
/** How a count of tokens is described. */
export const tokens = (description: string, example: number) =>
  ({ type: 'integer', minimum: 0, maximum: MAX_EVENT_TOKENS, description, example }) as const;

/** A usage event to report, for the API reference; it is read by hand-written checks. */
@ApiSchema({ name: 'GovernanceUsageEventDto' })
export class UsageEventDto {
  @ApiProperty({
    minLength: 1,
    maxLength: 255,
    description: 'Makes the event count once, however often it is sent.',
    example: EVENT_ID,
  })
  id!: string;

  @ApiPropertyOptional({
    format: 'uuid',
    description: 'The person. Required where user_email is missing; counts where both are given.',
    example: USER_ID,
  })
  user_id?: string;

  @ApiPropertyOptional({
    format: 'email',
    description:
      "The person by e-mail address, compared without case. Not looked at beside user_id, even if it is somebody else's.",
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

  @ApiPropertyOptional(tokens('Input tokens that were read from a cache.', 1_000))
  cache_read_tokens?: number;

  @ApiPropertyOptional(tokens('Input tokens that were written to a cache.', 0))
  cache_write_tokens?: number;

  @ApiPropertyOptional(tokens('Output tokens that were spent on reasoning.', 120))
  reasoning_tokens?: number;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: "The provider's own usage object as it came, instead of token counts.",
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
    description: 'Requests that the event stands for.',
  })
  requests?: number;

  @ApiPropertyOptional({
    oneOf: [{ type: 'number' }, { type: 'string' }],
    description: `What it cost, from 0 to ${MAX_EVENT_COST_USD} US dollars, where that is known better than by the catalogue; text is taken exactly.`,
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
    description: 'What the usage is for; reports and budgets group by it. Default: the project of the decision.',
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
      'Put what differs from call to call into metadata.',
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
export class UsageBatchDto {
  @ApiProperty({ type: [UsageEventDto], minItems: 1, maxItems: 1_000 })
  events!: UsageEventDto[];
}

/** One event that was not taken. */
@ApiSchema({ name: 'GovernanceRejectedEventDto' })
export class RejectedEventDto {
  @ApiProperty({ type: 'integer', description: 'Place in the batch, from 0.', example: 3 })
  index!: number;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Id of the event where it has a usable one. Null too where the message is `same`.',
    example: EVENT_ID,
  })
  id!: string | null;

  @ApiProperty({ description: 'The field at fault.', example: 'user_email' })
  field!: string;

  @ApiProperty({
    description:
      'What to change. Begins with `conflict` where the id is stored already with other content. `same` if naming every ' +
      'event in full would make the answer larger than 64 KiB and twice the request: the events before it name the fault.',
    example: 'names no user of your organization; create the user first',
  })
  message!: string;
}

/** A project or tag that reports do not tell apart any more. */
@ApiSchema({ name: 'GovernanceUsageNoteDto' })
export class UsageNoteDto {
  @ApiProperty({ type: 'integer', description: 'Place in the batch, from 0.', example: 3 })
  index!: number;

  @ApiProperty({ description: 'The project or tag.', example: 'tags.request' })
  field!: string;

  @ApiProperty({
    description: 'How the stored event counts, and what to change.',
    example:
      'is beyond the 1000 values that reports tell apart; the event counts under (other). Put what differs from call to call into metadata',
  })
  message!: string;
}

/** What became of a batch. */
@ApiSchema({ name: 'GovernanceUsageReceiptDto' })
export class UsageReceiptDto {
  @ApiProperty({ type: 'integer', example: 997 })
  accepted!: number;

  @ApiProperty({ type: 'integer', description: 'Events that were stored before, with the same content.', example: 2 })
  duplicates!: number;

  @ApiProperty({ type: [RejectedEventDto] })
  rejected!: RejectedEventDto[];

  @ApiPropertyOptional({
    type: [UsageNoteDto],
    description:
      'Stored events whose project or tags count as `(other)` in reports: at most 10. Missing where none do.',
  })
  notes?: UsageNoteDto[];
}
