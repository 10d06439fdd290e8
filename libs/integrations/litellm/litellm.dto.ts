import { ApiSchema } from '@nestjs/swagger';
import { ChoiceField, dtoOf, f } from '#access';
import { COST_SOURCES, type CostSource } from './log-entry.js';

const CALL_ID = '0b1c6a5e-3f0d-4b7a-9a51-7d1f0c9b2e44';

/**
 * A request of LiteLLM's generic guardrail API. This class only documents the API; hand-written checks read the
 * request.
 */
@ApiSchema({ name: 'GovernanceLitellmGuardrailDto' })
export class LitellmGuardrailDto extends dtoOf({
  input_type: f.choice(['request', 'response'], 'request', '`response` is always passed.'),
  request_data: f
    .record<object>(
      { user_api_key_user_email: 'ada@example.com' },
      'The person is the first of `user_api_key_user_email`, `user_api_key_user_id` and `user_api_key_end_user_id` that ' +
        'is an e-mail address or a UUID.',
    )
    .optional(),
  model: f.text('openai/gpt-4o', 'Newer versions of LiteLLM name the model here.').optional(),
  litellm_call_id: f.text(CALL_ID, 'Links the decision with the log entry of the call.').optional(),
  texts: f.texts(['Hello'], 'Used for the token estimate; not stored.').optional(),
  additional_provider_specific_params: f
    .record<object>(
      { provider: 'openai' },
      '`provider`, `model` where LiteLLM names none, and `on_missing_model`: `decide` (default) or `block`.',
    )
    .optional(),
}) {}

/** What LiteLLM does with the request. */
@ApiSchema({ name: 'GovernanceLitellmGuardrailAnswerDto' })
export class LitellmGuardrailAnswerDto extends dtoOf({
  action: f.choice(['NONE', 'BLOCKED'], 'BLOCKED'),
  blocked_reason: f.text('A policy blocks this request.', 'Only with BLOCKED.').optional(),
}) {}

/** Query of the log route. */
export class LitellmLogQueryDto {
  @ChoiceField(COST_SOURCES, {
    optional: true,
    default: 'catalogue',
    description: 'Source of the price: this service’s prices, or `response_cost` of LiteLLM.',
  })
  cost?: CostSource;
}

/** A rejected log entry. */
@ApiSchema({ name: 'GovernanceLitellmRejectedEntryDto' })
class LitellmRejectedEntryDto extends dtoOf({
  index: f.integer(3, 'Place in the request, from 0.'),
  id: f.text('chatcmpl-8a1f').nullable(),
  field: f.text('metadata.user_api_key_user_email', 'The field at fault.'),
  message: f.text('names no user of your organization; create the user first'),
}) {}

/** The results for the log entries. */
@ApiSchema({ name: 'GovernanceLitellmLogReceiptDto' })
export class LitellmLogReceiptDto extends dtoOf({
  accepted: f.integer(480),
  duplicates: f.integer(2, 'Entries that were stored before.'),
  ignored: f.integer(29, 'Failed calls, and answers from the cache of LiteLLM.'),
  rejected: f.listOf(LitellmRejectedEntryDto),
}) {}

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

/** Example of a log as a list of entries. */
export const LOG_EXAMPLE = [ENTRY];

/** Example of a log with one entry per line. */
export const LOG_LINES_EXAMPLE = `${JSON.stringify(ENTRY)}\n`;
