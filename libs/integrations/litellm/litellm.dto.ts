import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { ChoiceField } from '#access';
import { COST_SOURCES, type CostSource } from './log-entry.js';

const ANY = { type: 'object', additionalProperties: true } as const;
const CALL_ID = '0b1c6a5e-3f0d-4b7a-9a51-7d1f0c9b2e44';

/** A request of LiteLLM's generic guardrail API, for the API reference; it is read by hand-written checks. */
@ApiSchema({ name: 'GovernanceLitellmGuardrailDto' })
export class LitellmGuardrailDto {
  @ApiProperty({ enum: ['request', 'response'], description: '`response` is always passed.', example: 'request' })
  input_type!: string;

  @ApiPropertyOptional({
    ...ANY,
    description:
      'The person is the first of `user_api_key_user_email`, `user_api_key_user_id` and `user_api_key_end_user_id` that ' +
      'is an e-mail address or a UUID.',
    example: { user_api_key_user_email: 'ada@example.com' },
  })
  request_data?: object;

  @ApiPropertyOptional({ description: 'Newer versions of LiteLLM name the model here.', example: 'openai/gpt-4o' })
  model?: string;

  @ApiPropertyOptional({ description: 'Links the decision with the log entry of the call.', example: CALL_ID })
  litellm_call_id?: string;

  @ApiPropertyOptional({ type: [String], description: 'Used for the token estimate; not stored.', example: ['Hello'] })
  texts?: string[];

  @ApiPropertyOptional({
    ...ANY,
    description: '`provider`, `model` where LiteLLM names none, and `on_missing_model`: `decide` (default) or `block`.',
    example: { provider: 'openai' },
  })
  additional_provider_specific_params?: object;
}

/** What LiteLLM does with the request. */
@ApiSchema({ name: 'GovernanceLitellmGuardrailAnswerDto' })
export class LitellmGuardrailAnswerDto {
  @ApiProperty({ enum: ['NONE', 'BLOCKED'], example: 'BLOCKED' })
  action!: string;

  @ApiPropertyOptional({ description: 'Only with BLOCKED.', example: 'A policy blocks this request.' })
  blocked_reason?: string;
}

/** How log entries are read. */
export class LitellmLogQueryDto {
  @ChoiceField(COST_SOURCES, {
    optional: true,
    default: 'catalogue',
    description: 'Source of the price: this service’s prices, or `response_cost` of LiteLLM.',
  })
  cost?: CostSource;
}

/** One rejected log entry. */
@ApiSchema({ name: 'GovernanceLitellmRejectedEntryDto' })
export class LitellmRejectedEntryDto {
  @ApiProperty({ type: 'integer', description: 'Place in the request, from 0.', example: 3 })
  index!: number;

  @ApiProperty({ type: String, nullable: true, example: 'chatcmpl-8a1f' })
  id!: string | null;

  @ApiProperty({ description: 'The field at fault.', example: 'metadata.user_api_key_user_email' })
  field!: string;

  @ApiProperty({ example: 'names no user of your organization; create the user first' })
  message!: string;
}

/** The results of log entries. */
@ApiSchema({ name: 'GovernanceLitellmLogReceiptDto' })
export class LitellmLogReceiptDto {
  @ApiProperty({ type: 'integer', example: 480 })
  accepted!: number;

  @ApiProperty({ type: 'integer', description: 'Entries that were stored before.', example: 2 })
  duplicates!: number;

  @ApiProperty({ type: 'integer', description: 'Failed calls, and answers from the cache of LiteLLM.', example: 29 })
  ignored!: number;

  @ApiProperty({ type: [LitellmRejectedEntryDto] })
  rejected!: LitellmRejectedEntryDto[];
}

const ENTRY = {
  id: 'chatcmpl-8a1f',
  call_id: CALL_ID,
  status: 'success',
  custom_llm_provider: 'openai',
  model: 'gpt-4o',
  prompt_tokens: 1250,
  completion_tokens: 310,
  response_cost: 0.006225,
  startTime: 1795165143.2,
  metadata: { user_api_key_user_email: 'ada@example.com' },
};

/** A list of log entries. */
export const LOG_EXAMPLE = [ENTRY];

/** The same, one entry per line. */
export const LOG_LINES_EXAMPLE = `${JSON.stringify(ENTRY)}\n`;
