import { ApiSchema } from '@nestjs/swagger';
import { dtoOf, f } from '#access';
import { POLICY_ACTIONS } from '../decide/index.js';
import { jsonValue } from '../json-value.schema.js';
import { DECISION_REASONS } from '../records/decision.js';

const UUID_EXAMPLE = '019aa0f2-7c31-7b5e-9d27-3a0c8f4f2a11';

/** A condition that was evaluated for a request. */
@ApiSchema({ name: 'GovernanceShownConditionDto' })
export class ShownConditionDto extends dtoOf({
  attribute: f.text('department'),
  operator: f.text('not_in'),
  operand: jsonValue(
    ['Research'],
    'The operand in the policy. Left out if it is a list of more than 100 entries or longer than 2,000 ' +
      'characters as JSON. Once the operands of one decision exceed 64,000 characters, the remaining policies have ' +
      'none.',
  ).optional(),
  value: jsonValue('Sales', 'The value from the directory or the request; null if it was missing.'),
}) {}

@ApiSchema({ name: 'GovernanceMatchedPolicyDto' })
class MatchedPolicyDto extends dtoOf({
  id: f.uuid(UUID_EXAMPLE),
  name: f.text('No GPT-4 outside research'),
  action: f.choice(POLICY_ACTIONS, 'block'),
  version: f.integer(3, 'Version of the policy that matched.'),
  matched_conditions: f.listOf(ShownConditionDto, 'The conditions that matched; empty if the policy has none.'),
}) {}

/** The amount that a decision reserves in budgets. */
@ApiSchema({ name: 'GovernanceShownReservationDto' })
export class ShownReservationDto extends dtoOf({
  id: f.uuid('019aa0f3-02b4-7001-8f4e-90d2c1b7aa35', "The decision's id."),
  amount_usd: f.decimal(0.011, 'Upper estimate of the cost of the request, in US dollars.'),
  expires_at: f.instant('2026-11-20T13:15:00.000Z'),
}) {}

/** A budget that is exhausted. */
@ApiSchema({ name: 'GovernanceShownBudgetDto' })
export class ShownBudgetDto extends dtoOf({
  id: f.uuid('019aa0f3-1a77-7c10-9d44-2b1f6f0f4b90'),
  name: f.text('Sales, November'),
}) {}

/** A limit that is exhausted. */
@ApiSchema({ name: 'GovernanceShownLimitDto' })
class ShownLimitDto extends dtoOf({
  id: f.uuid('019aa0f3-1a77-7c10-9d44-2b1f6f0f4b91'),
  name: f.text('Each person'),
}) {}

/** The released amount of a decision's reservation. */
@ApiSchema({ name: 'GovernanceReleaseResponseDto' })
export class ReleaseResponseDto extends dtoOf({
  decision_id: f.uuid('019aa0f3-02b4-7001-8f4e-90d2c1b7aa35'),
  released_usd: f.decimal(
    0.011,
    'The released amount in US dollars; 0 if the reservation was already settled or released, or has expired.',
  ),
}) {}

/** A decision. */
@ApiSchema({ name: 'GovernanceDecisionResponseDto' })
export class DecisionResponseDto extends dtoOf({
  id: f.uuid('019aa0f3-02b4-7001-8f4e-90d2c1b7aa35'),
  action: f.choice(POLICY_ACTIONS, 'block'),
  allowed: f.flag(false, 'True for allow and alert.'),
  reason: f.choice(DECISION_REASONS, 'policy'),
  policies: f.listOf(MatchedPolicyDto, 'Every matching policy. The first one determines the action.'),
  approval_id: f
    .uuid(
      '019aa0f4-3c8d-7e21-8b57-6d1c2f9e4a10',
      'Only if a policy requires approval: the approval that an approver must decide.',
    )
    .optional(),
  reservation: f
    .nested(
      ShownReservationDto,
      'Only if a blocking budget applies: the amount that is reserved until you report usage.',
    )
    .optional(),
  budgets: f.listOf(ShownBudgetDto, 'Only with the reason budget_exceeded: the budgets that are exhausted.').optional(),
  limits: f.listOf(ShownLimitDto, 'Only with the reason rate_limited: the limits that are exhausted.').optional(),
  retry_after_ms: f
    .integer(1800, 'Only with the reason rate_limited: wait this many milliseconds before you retry.')
    .optional(),
  evaluated_at: f.instant('2026-11-20T13:00:00.000Z'),
}) {}

/** The decisions of a batch. */
@ApiSchema({ name: 'GovernanceDecisionBatchResponseDto' })
export class DecisionBatchResponseDto extends dtoOf({
  decisions: f.listOf(DecisionResponseDto, 'In the order of the requests.'),
}) {}
