import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { POLICY_ACTIONS, type PolicyAction } from '../decide/index.js';
import { JSON_VALUE_SCHEMA } from '../json-value.schema.js';
import { DECISION_REASONS, type DecisionReason } from '../records/decision.js';

const UUID_EXAMPLE = '019aa0f2-7c31-7b5e-9d27-3a0c8f4f2a11';

/** A condition that was put to a request. */
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
      'As it stands in the policy; left out where it is a list of more than 100 entries, or longer than 2,000 characters as JSON, and from the policy on whose operands would make more than 64,000 characters in one decision.',
    example: ['Research'],
  })
  operand?: unknown;

  @ApiProperty({
    ...JSON_VALUE_SCHEMA,
    description: 'As the directory or the request had it; null when it was missing.',
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

  @ApiProperty({ type: 'integer', description: 'The version that matched.', example: 3 })
  version!: number;

  @ApiProperty({ type: [ShownConditionDto], description: 'Why it matched; empty where the policy has no conditions.' })
  matched_conditions!: ShownConditionDto[];
}

/** What a decision holds of budgets. */
@ApiSchema({ name: 'GovernanceShownReservationDto' })
export class ShownReservationDto {
  @ApiProperty({ format: 'uuid', description: "The decision's id.", example: '019aa0f3-02b4-7001-8f4e-90d2c1b7aa35' })
  id!: string;

  @ApiProperty({ description: 'The most that the request is expected to cost, in US dollars.', example: 0.011 })
  amount_usd!: number;

  @ApiProperty({ format: 'date-time', example: '2026-11-20T13:15:00.000Z' })
  expires_at!: string;
}

/** A budget that had no room. */
@ApiSchema({ name: 'GovernanceShownBudgetDto' })
export class ShownBudgetDto {
  @ApiProperty({ format: 'uuid', example: '019aa0f3-1a77-7c10-9d44-2b1f6f0f4b90' })
  id!: string;

  @ApiProperty({ example: 'Sales, November' })
  name!: string;
}

/** A limit that had no room. */
@ApiSchema({ name: 'GovernanceShownLimitDto' })
export class ShownLimitDto {
  @ApiProperty({ format: 'uuid', example: '019aa0f3-1a77-7c10-9d44-2b1f6f0f4b91' })
  id!: string;

  @ApiProperty({ example: 'Each person' })
  name!: string;
}

/** What was given back of a decision's reservation. */
@ApiSchema({ name: 'GovernanceReleaseResponseDto' })
export class ReleaseResponseDto {
  @ApiProperty({ format: 'uuid', example: '019aa0f3-02b4-7001-8f4e-90d2c1b7aa35' })
  decision_id!: string;

  @ApiProperty({
    description: 'US dollars; 0 where nothing is held, because it was settled, released before or has expired.',
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

  @ApiProperty({ type: [MatchedPolicyDto], description: 'Every matching policy, the one that gave the action first.' })
  policies!: MatchedPolicyDto[];

  @ApiProperty({
    format: 'uuid',
    required: false,
    description: 'Only with the action require_approval of a policy: the approval that somebody must decide.',
    example: '019aa0f4-3c8d-7e21-8b57-6d1c2f9e4a10',
  })
  approval_id?: string;

  @ApiProperty({
    type: ShownReservationDto,
    required: false,
    description: 'Only where a blocking budget guards the request: what is held until usage is reported.',
  })
  reservation?: ShownReservationDto;

  @ApiProperty({
    type: [ShownBudgetDto],
    required: false,
    description: 'Only with the reason budget_exceeded: the budgets that had no room.',
  })
  budgets?: ShownBudgetDto[];

  @ApiProperty({
    type: [ShownLimitDto],
    required: false,
    description: 'Only with the reason rate_limited: the limits that had no room.',
  })
  limits?: ShownLimitDto[];

  @ApiProperty({
    type: 'integer',
    required: false,
    description: 'Only with the reason rate_limited: after how many milliseconds there may be room.',
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
