import { ApiSchema } from '@nestjs/swagger';
import { dtoOf, f } from '#access';
import { EVALUATIONS_MAX, SEMANTICS, type Semantic } from './evaluation-request.js';

const DECISION_ID = '019aa0f3-02b4-7001-8f4e-90d2c1b7aa35';

/** The person of an evaluation. This class only documents the API; hand-written checks read the value. */
@ApiSchema({ name: 'GovernanceEvaluationSubjectDto' })
class EvaluationSubjectDto extends dtoOf({
  type: f.choice(['user'], 'user'),
  id: f.text('ada@example.com', 'UUID or e-mail address of the person.'),
}) {}

/** The action of the person. */
@ApiSchema({ name: 'GovernanceEvaluationActionDto' })
class EvaluationActionDto extends dtoOf({
  name: f.text('invoke', 'Policies find it as `attributes.action`.'),
}) {}

/** The resource of the action. */
@ApiSchema({ name: 'GovernanceEvaluationResourceDto' })
class EvaluationResourceDto extends dtoOf({
  type: f.text('model', '`model`, or any other type, such as `tool`. Policies find it as `attributes.resource_type`.'),
  id: f.text('gpt-4o', 'The model as policies name it. It may begin with the provider: `openai/gpt-4o`.'),
  properties: f
    .record<object>(
      { provider: 'openai' },
      '`provider`: the provider. Default: the first part of the id of a model; the type of anything else.',
    )
    .optional(),
}) {}

/** An access evaluation. */
@ApiSchema({ name: 'GovernanceEvaluationDto' })
export class EvaluationDto extends dtoOf({
  subject: f.nested(EvaluationSubjectDto),
  action: f.nested(EvaluationActionDto),
  resource: f.nested(EvaluationResourceDto),
  context: f
    .record<object>(
      { estimated_input_tokens: 1200, app: 'chat' },
      '`device_id`, `estimated_input_tokens`, `max_output_tokens` and `idempotency_key` are those of a decision. Every ' +
        'other text, number, boolean or null is an attribute for conditions of policies; lists and objects are ignored.',
    )
    .optional(),
}) {}

/** The parts of an evaluation that its batch can provide instead. */
@ApiSchema({ name: 'GovernanceBatchedEvaluationDto' })
export class BatchedEvaluationDto extends dtoOf({
  subject: f.nested(EvaluationSubjectDto).optional(),
  action: f.nested(EvaluationActionDto).optional(),
  resource: f.nested(EvaluationResourceDto).optional(),
  context: f.record<object>({}).optional(),
}) {}

/** How a batch is evaluated. */
@ApiSchema({ name: 'GovernanceEvaluationOptionsDto' })
class EvaluationOptionsDto extends dtoOf({
  evaluations_semantic: f.of<Semantic>({ enum: SEMANTICS, default: 'execute_all', example: 'execute_all' }).optional(),
}) {}

/** A batch of access evaluations. An evaluation inherits missing parts from the batch. */
@ApiSchema({ name: 'GovernanceEvaluationBatchDto' })
export class EvaluationBatchDto extends dtoOf(BatchedEvaluationDto, {
  evaluations: f
    .of<BatchedEvaluationDto[]>({
      type: [BatchedEvaluationDto],
      maxItems: EVALUATIONS_MAX,
      description: 'If it is missing or empty, the body itself is evaluated and answered as one evaluation.',
    })
    .optional(),
  options: f.nested(EvaluationOptionsDto).optional(),
}) {}

/** The answer to an access evaluation. */
@ApiSchema({ name: 'GovernanceEvaluationAnswerDto' })
export class EvaluationAnswerDto extends dtoOf({
  decision: f.flag(false, 'True if the action of the decision is allow or alert.'),
  context: f.record<object>(
    {
      id: DECISION_ID,
      action: 'block',
      reason: 'policy',
      reason_user: { '403': 'A policy blocks this request.' },
      reason_admin: { '403': `A policy blocks this request (Research only); decision ${DECISION_ID}.` },
      policies: [{ id: '0199c2a8-7777-7d10-8c52-1f0a7e9d4b33', name: 'Research only', action: 'block' }],
      evaluated_at: '2026-11-20T13:00:00.000Z',
    },
    'The decision: `id`, `action`, `reason`, `policies`, `evaluated_at`, and where it has them `approval_id`, ' +
      '`reservation` and `budgets`. Of a refusal also `reason_user` and `reason_admin`. Of an entry of a batch that ' +
      'cannot be evaluated only `error`, with `status` and `message`.',
  ),
}) {}

/** The answers to a batch. */
@ApiSchema({ name: 'GovernanceEvaluationBatchAnswerDto' })
export class EvaluationBatchAnswerDto extends dtoOf({
  evaluations: f.listOf(EvaluationAnswerDto, 'In the order of the evaluations.'),
}) {}
