import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { POLICY_ACTIONS, type PolicyAction } from '../decide/index.js';
import { JSON_VALUE_SCHEMA } from '../json-value.schema.js';
import { DECISION_REASONS, type DecisionReason } from '../records/decision.js';

const UUID_EXAMPLE = '019aa0f2-7c31-7b5e-9d27-3a0c8f4f2a11';

/** A condition that was evaluated for a request. */
@ApiSchema({ name: 'GovernanceShownConditionDto' })
export class ShownConditionDto {
  @ApiProperty({ example: 'department' })
  attribute!: string;

  @ApiProperty({ example: 'not_in' })
  operator!: string;

  @ApiProperty({
    ...JSON_VALUE_SCHEMA,
    required: false,
    description:
      'The operand in the policy. Left out if it is a list of more than 100 entries or longer than 2,000 ' +
      'characters as JSON. Once the operands of one decision exceed 64,000 characters, the remaining policies have ' +
      'none.',
    example: ['Research'],
  })
  operand?: unknown;

  @ApiProperty({
    ...JSON_VALUE_SCHEMA,
    description: 'The value from the directory or the request; null if it was missing.',
    example: 'Sales',
  })
  value!: unknown;
}

@ApiSchema({ name: 'GovernanceMatchedPolicyDto' })
class MatchedPolicyDto {
  @ApiProperty({ format: 'uuid', example: UUID_EXAMPLE })
  id!: string;

  @ApiProperty({ example: 'No GPT-4 outside research' })
  name!: string;

  @ApiProperty({ enum: POLICY_ACTIONS, example: 'block' })
  action!: PolicyAction;

  @ApiProperty({ type: 'integer', description: 'Version of the policy that matched.', example: 3 })
  version!: number;

  @ApiProperty({ type: [ShownConditionDto], description: 'The conditions that matched; empty if the policy has none.' })
  matched_conditions!: ShownConditionDto[];
}

/** The amount that a decision reserves in budgets. */
@ApiSchema({ name: 'GovernanceShownReservationDto' })
export class ShownReservationDto {
  @ApiProperty({ format: 'uuid', description: "The decision's id.", example: '019aa0f3-02b4-7001-8f4e-90d2c1b7aa35' })
  id!: string;

  @ApiProperty({ description: 'Upper estimate of the cost of the request, in US dollars.', example: 0.011 })
  amount_usd!: number;

  @ApiProperty({ format: 'date-time', example: '2026-11-20T13:15:00.000Z' })
  expires_at!: string;
}

/** A budget that is exhausted. */
@ApiSchema({ name: 'GovernanceShownBudgetDto' })
export class ShownBudgetDto {
  @ApiProperty({ format: 'uuid', example: '019aa0f3-1a77-7c10-9d44-2b1f6f0f4b90' })
  id!: string;

  @ApiProperty({ example: 'Sales, November' })
  name!: string;
}

/** A limit that is exhausted. */
@ApiSchema({ name: 'GovernanceShownLimitDto' })
export class ShownLimitDto {
  @ApiProperty({ format: 'uuid', example: '019aa0f3-1a77-7c10-9d44-2b1f6f0f4b91' })
  id!: string;

  @ApiProperty({ example: 'Each person' })
  name!: string;
}

/** The released amount of a decision's reservation. */
@ApiSchema({ name: 'GovernanceReleaseResponseDto' })
export class ReleaseResponseDto {
  @ApiProperty({ format: 'uuid', example: '019aa0f3-02b4-7001-8f4e-90d2c1b7aa35' })
  decision_id!: string;

  @ApiProperty({
    description:
      'The released amount in US dollars; 0 if the reservation was already settled or released, or has expired.',
    example: 0.011,
  })
  released_usd!: number;
}

/** A decision. */
@ApiSchema({ name: 'GovernanceDecisionResponseDto' })
export class DecisionResponseDto {
  @ApiProperty({ format: 'uuid', example: '019aa0f3-02b4-7001-8f4e-90d2c1b7aa35' })
  id!: string;

  @ApiProperty({ enum: POLICY_ACTIONS, example: 'block' })
  action!: PolicyAction;

  @ApiProperty({ description: 'True for allow and alert.', example: false })
  allowed!: boolean;

  @ApiProperty({ enum: DECISION_REASONS, example: 'policy' })
  reason!: DecisionReason;

  @ApiProperty({ type: [MatchedPolicyDto], description: 'Every matching policy. The first one determines the action.' })
  policies!: MatchedPolicyDto[];

  @ApiProperty({
    format: 'uuid',
    required: false,
    description: 'Only if a policy requires approval: the approval that an approver must decide.',
    example: '019aa0f4-3c8d-7e21-8b57-6d1c2f9e4a10',
  })
  approval_id?: string;

  @ApiProperty({
    type: ShownReservationDto,
    required: false,
    description: 'Only if a blocking budget applies: the amount that is reserved until you report usage.',
  })
  reservation?: ShownReservationDto;

  @ApiProperty({
    type: [ShownBudgetDto],
    required: false,
    description: 'Only with the reason budget_exceeded: the budgets that are exhausted.',
  })
  budgets?: ShownBudgetDto[];

  @ApiProperty({
    type: [ShownLimitDto],
    required: false,
    description: 'Only with the reason rate_limited: the limits that are exhausted.',
  })
  limits?: ShownLimitDto[];

  @ApiProperty({
    type: 'integer',
    required: false,
    description: 'Only with the reason rate_limited: wait this many milliseconds before you retry.',
    example: 1800,
  })
  retry_after_ms?: number;

  @ApiProperty({ format: 'date-time', example: '2026-11-20T13:00:00.000Z' })
  evaluated_at!: string;
}

/** The decisions of a batch. */
@ApiSchema({ name: 'GovernanceDecisionBatchResponseDto' })
export class DecisionBatchResponseDto {
  @ApiProperty({ type: [DecisionResponseDto], description: 'In the order of the requests.' })
  decisions!: DecisionResponseDto[];
}
