import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { EVALUATIONS_MAX, SEMANTICS, type Semantic } from './evaluation-request.js';

const PROPERTIES = { type: 'object', additionalProperties: true } as const;
const DECISION_ID = '019aa0f3-02b4-7001-8f4e-90d2c1b7aa35';

/** The person. For the API reference; it is read by hand-written checks. */
@ApiSchema({ name: 'GovernanceEvaluationSubjectDto' })
export class EvaluationSubjectDto {
  @ApiProperty({ enum: ['user'], example: 'user' })
  type!: string;

  @ApiProperty({ description: 'UUID or e-mail address of the person.', example: 'ada@example.com' })
  id!: string;
}

/** What the person wants to do. */
@ApiSchema({ name: 'GovernanceEvaluationActionDto' })
export class EvaluationActionDto {
  @ApiProperty({ description: 'Policies find it as `attributes.action`.', example: 'invoke' })
  name!: string;
}

/** What the person wants to use. */
@ApiSchema({ name: 'GovernanceEvaluationResourceDto' })
export class EvaluationResourceDto {
  @ApiProperty({
    description: '`model`, or any other type, such as `tool`. Policies find it as `attributes.resource_type`.',
    example: 'model',
  })
  type!: string;

  @ApiProperty({
    description: 'The model as policies name it. It may begin with the provider: `openai/gpt-4o`.',
    example: 'gpt-4o',
  })
  id!: string;

  @ApiPropertyOptional({
    ...PROPERTIES,
    description: '`provider`: the provider. Default: the first part of the id of a model; the type of anything else.',
    example: { provider: 'openai' },
  })
  properties?: object;
}

/** An access evaluation. */
@ApiSchema({ name: 'GovernanceEvaluationDto' })
export class EvaluationDto {
  @ApiProperty({ type: EvaluationSubjectDto })
  subject!: EvaluationSubjectDto;

  @ApiProperty({ type: EvaluationActionDto })
  action!: EvaluationActionDto;

  @ApiProperty({ type: EvaluationResourceDto })
  resource!: EvaluationResourceDto;

  @ApiPropertyOptional({
    ...PROPERTIES,
    description:
      '`device_id`, `estimated_input_tokens`, `max_output_tokens` and `idempotency_key` are those of a decision. Every ' +
      'other text, number, boolean or null is an attribute for conditions of policies; lists and objects are ignored.',
    example: { estimated_input_tokens: 1200, app: 'chat' },
  })
  context?: object;
}

/** What `evaluations` of a batch may leave to the batch. */
@ApiSchema({ name: 'GovernanceBatchedEvaluationDto' })
export class BatchedEvaluationDto {
  @ApiPropertyOptional({ type: EvaluationSubjectDto })
  subject?: EvaluationSubjectDto;

  @ApiPropertyOptional({ type: EvaluationActionDto })
  action?: EvaluationActionDto;

  @ApiPropertyOptional({ type: EvaluationResourceDto })
  resource?: EvaluationResourceDto;

  @ApiPropertyOptional({ ...PROPERTIES, example: {} })
  context?: object;
}

/** How a batch is evaluated. */
@ApiSchema({ name: 'GovernanceEvaluationOptionsDto' })
export class EvaluationOptionsDto {
  @ApiPropertyOptional({ enum: SEMANTICS, default: 'execute_all', example: 'execute_all' })
  evaluations_semantic?: Semantic;
}

/** A batch of access evaluations. What an evaluation leaves out is that of the batch. */
@ApiSchema({ name: 'GovernanceEvaluationBatchDto' })
export class EvaluationBatchDto extends BatchedEvaluationDto {
  @ApiPropertyOptional({
    type: [BatchedEvaluationDto],
    maxItems: EVALUATIONS_MAX,
    description: 'If it is missing or empty, the body itself is evaluated and answered as one evaluation.',
  })
  evaluations?: BatchedEvaluationDto[];

  @ApiPropertyOptional({ type: EvaluationOptionsDto })
  options?: EvaluationOptionsDto;
}

/** The answer to an access evaluation. */
@ApiSchema({ name: 'GovernanceEvaluationAnswerDto' })
export class EvaluationAnswerDto {
  @ApiProperty({ description: 'True if the action of the decision is allow or alert.', example: false })
  decision!: boolean;

  @ApiProperty({
    ...PROPERTIES,
    description:
      'The decision: `id`, `action`, `reason`, `policies`, `evaluated_at`, and where it has them `approval_id`, ' +
      '`reservation` and `budgets`. Of a refusal also `reason_user` and `reason_admin`. Of an entry of a batch that ' +
      'cannot be evaluated only `error`, with `status` and `message`.',
    example: {
      id: DECISION_ID,
      action: 'block',
      reason: 'policy',
      reason_user: { '403': 'A policy blocks this request.' },
      reason_admin: { '403': `A policy blocks this request (Research only); decision ${DECISION_ID}.` },
      policies: [{ id: '0199c2a8-7777-7d10-8c52-1f0a7e9d4b33', name: 'Research only', action: 'block' }],
      evaluated_at: '2026-11-20T13:00:00.000Z',
    },
  })
  context!: object;
}

/** The answers to a batch. */
@ApiSchema({ name: 'GovernanceEvaluationBatchAnswerDto' })
export class EvaluationBatchAnswerDto {
  @ApiProperty({ type: [EvaluationAnswerDto], description: 'In the order of the evaluations.' })
  evaluations!: EvaluationAnswerDto[];
}
