import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { POLICY_ACTIONS, type PolicyAction } from '../decide/index.js';
import { DECISION_REASONS, type DecisionReason } from '../records/decision.js';
import { ShownBudgetDto, ShownConditionDto, ShownReservationDto } from '../decisions/decision-response.dto.js';
import { AUTHOR_EXAMPLE, CONTENT_EXAMPLE, PolicyAuthorDto, PolicyContentDto } from '../history/policy-version.dto.js';
import { POLICY_CHANGES, type PolicyAuthor, type PolicyChange } from '../policies/policy-version.js';
import {
  DECIDED_BY,
  NOT_MATCHED_BECAUSE,
  type DecidedBy,
  type ExplainedCondition,
  type ExplainedDecision,
  type ExplainedPolicy,
  type NotMatchedBecause,
  type UnmatchedPolicy,
} from './explanation.js';
import { DEVICE_EXAMPLE, ExplainedDeviceDto, ExplainedPersonDto } from './explained-person.dto.js';

const POLICY_EXAMPLE = '019aa0f2-7c31-7b5e-9d27-3a0c8f4f2a11';
const NAME_EXAMPLE = 'No GPT-4 outside research';
const TIME_EXAMPLE = '2026-11-20T13:00:00.000Z';
const UNMATCHED_EXAMPLE: UnmatchedPolicy = {
  id: '019aa0f2-8d42-7c6f-8e38-4b1d9a5f3b22',
  name: 'Contractors ask first',
  action: 'require_approval',
  version: 1,
  because: 'condition',
  message: 'It requires that department is one of “Contractors”; it was “Sales”.',
  condition: { attribute: 'department', operator: 'in', operand: ['Contractors'], value: 'Sales' },
};

@ApiSchema({ name: 'GovernanceExplainedConditionDto' })
class ExplainedConditionDto extends ShownConditionDto implements ExplainedCondition {
  @ApiProperty({ description: 'Whether it held.', example: true })
  held!: boolean;
}

@ApiSchema({ name: 'GovernanceExplainedPolicyDto' })
class ExplainedPolicyDto implements ExplainedPolicy {
  @ApiProperty({ format: 'uuid', example: POLICY_EXAMPLE })
  id!: string;

  @ApiProperty({ description: 'Name of the policy at that time.', example: NAME_EXAMPLE })
  name!: string;

  @ApiProperty({ enum: POLICY_ACTIONS, example: 'block' })
  action!: PolicyAction;

  @ApiProperty({ type: 'integer', description: 'Version of the policy that matched.', example: 3 })
  version!: number;

  @ApiProperty({
    type: PolicyContentDto,
    nullable: true,
    description: 'Content of this version; null if the history does not reach back to it.',
    example: CONTENT_EXAMPLE,
  })
  content!: PolicyContentDto | null;

  @ApiProperty({
    type: [ExplainedConditionDto],
    description: 'Every condition, with the value that it was compared with.',
  })
  conditions!: ExplainedConditionDto[];

  @ApiProperty({
    enum: POLICY_CHANGES,
    nullable: true,
    description: 'The kind of change that created this version.',
    example: 'updated',
  })
  change!: PolicyChange | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: TIME_EXAMPLE })
  changed_at!: string | null;

  @ApiProperty({
    type: PolicyAuthorDto,
    nullable: true,
    description: 'Author of this version.',
    example: AUTHOR_EXAMPLE,
  })
  changed_by!: PolicyAuthor | null;
}

@ApiSchema({ name: 'GovernanceUnmatchedPolicyDto' })
class UnmatchedPolicyDto implements UnmatchedPolicy {
  @ApiProperty({ format: 'uuid', example: UNMATCHED_EXAMPLE.id })
  id!: string;

  @ApiProperty({ description: 'Name of the policy at that time.', example: UNMATCHED_EXAMPLE.name })
  name!: string;

  @ApiProperty({ enum: POLICY_ACTIONS, example: 'require_approval' })
  action!: PolicyAction;

  @ApiProperty({ type: 'integer', description: 'The version that was in force.', example: 1 })
  version!: number;

  @ApiProperty({
    enum: NOT_MATCHED_BECAUSE,
    description:
      'Why the policy did not match. `not_evaluable`: an operator of its conditions is no longer installed. ' +
      '`not_recorded`: the policy would match now, so an operator was missing then or has changed.',
    example: 'condition',
  })
  because!: NotMatchedBecause;

  @ApiProperty({
    description: 'The reason as a sentence.',
    example: UNMATCHED_EXAMPLE.message,
  })
  message!: string;

  @ApiProperty({ type: ShownConditionDto, required: false, description: 'The condition that did not hold.' })
  condition?: ShownConditionDto;
}

@ApiSchema({ name: 'GovernanceUnmatchedPoliciesDto' })
class UnmatchedPoliciesDto {
  @ApiProperty({ type: 'integer', description: 'Total number of policies.', example: 1 })
  total!: number;

  @ApiProperty({
    type: [UnmatchedPolicyDto],
    description: 'The first 100, in the order in which decisions list policies.',
  })
  items!: UnmatchedPolicyDto[];
}

@ApiSchema({ name: 'GovernanceWinnerDto' })
class WinnerDto {
  @ApiProperty({ format: 'uuid', example: POLICY_EXAMPLE })
  id!: string;

  @ApiProperty({ type: 'integer', example: 3 })
  version!: number;
}

/** A decision as it was. */
@ApiSchema({ name: 'GovernanceExplainedDecisionDto' })
export class ExplainedDecisionDto implements ExplainedDecision {
  @ApiProperty({ format: 'date-time', example: TIME_EXAMPLE })
  evaluated_at!: string;

  @ApiProperty({ example: 'openai' })
  provider!: string;

  @ApiProperty({ example: 'gpt-4o' })
  model!: string;

  @ApiProperty({ enum: POLICY_ACTIONS, example: 'block' })
  action!: PolicyAction;

  @ApiProperty({ description: 'True for allow and alert.', example: false })
  allowed!: boolean;

  @ApiProperty({ enum: DECISION_REASONS, example: 'policy' })
  reason!: DecisionReason;

  @ApiProperty({ enum: DECIDED_BY, description: 'What settled it.', example: 'policy' })
  decided_by!: DecidedBy;

  @ApiProperty({
    type: WinnerDto,
    nullable: true,
    description: 'The policy that determined the action, if one did.',
    example: { id: POLICY_EXAMPLE, version: 3 },
  })
  winner!: WinnerDto | null;

  @ApiProperty({ type: ExplainedPersonDto, description: 'The person, with the attributes that the decision used.' })
  person!: ExplainedPersonDto;

  @ApiProperty({
    type: ExplainedDeviceDto,
    nullable: true,
    description: 'The device that the request named; null if it named none.',
    example: DEVICE_EXAMPLE,
  })
  device!: ExplainedDeviceDto | null;

  @ApiProperty({ type: [ExplainedPolicyDto], description: 'The first 100 policies that matched, the winner first.' })
  policies!: ExplainedPolicyDto[];

  @ApiProperty({ type: 'integer', description: 'How many matched.', example: 1 })
  policies_total!: number;

  @ApiProperty({
    type: UnmatchedPoliciesDto,
    nullable: true,
    description:
      'Policies that were in force and did not match. Null if no policy was evaluated, or if the history does not ' +
      'reach back far enough.',
    example: { total: 1, items: [UNMATCHED_EXAMPLE] },
  })
  not_matched!: UnmatchedPoliciesDto | null;

  @ApiProperty({
    format: 'uuid',
    required: false,
    description: 'The approval that the decision requires.',
    example: '019aa0f4-3c8d-7e21-8b57-6d1c2f9e4a10',
  })
  approval_id?: string;

  @ApiProperty({
    type: ShownReservationDto,
    required: false,
    description: 'The amount that the decision reserved in budgets.',
  })
  reservation?: ShownReservationDto;

  @ApiProperty({ type: [ShownBudgetDto], required: false, description: 'The budgets that were exhausted.' })
  budgets?: ShownBudgetDto[];
}
