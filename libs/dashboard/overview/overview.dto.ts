import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import {
  FIRST_STEPS,
  SEVERITIES,
  type FirstStep,
  type OverviewAnomalies,
  type OverviewApprovals,
  type OverviewBudget,
  type OverviewBudgets,
  type Severity,
} from '#core';
import { OverviewConnectorsDto, OverviewDeliveriesDto, OverviewIncidentsDto } from './overview-failures.dto.js';

const ID = '0199c2a8-7f00-7a31-9d42-5b1e6f0c8a21';
const AT = '2026-11-20T13:00:00.000Z';
const COUNT = { type: 'integer', minimum: 0 } as const;

@ApiSchema({ name: 'GovernanceOverviewBudgetDto' })
class BudgetAtRiskDto implements OverviewBudget {
  @ApiProperty({ format: 'uuid', example: ID })
  id!: string;

  @ApiProperty({ example: 'Research' })
  name!: string;

  @ApiProperty({ example: 'department' })
  scope!: string;

  @ApiProperty({ type: String, nullable: true, example: 'Research' })
  department!: string | null;

  @ApiProperty({ type: String, format: 'uuid', nullable: true, example: null })
  user_id!: string | null;

  @ApiProperty({ type: String, nullable: true, example: null })
  model!: string | null;

  @ApiProperty({ example: 'monthly' })
  period!: string;

  @ApiProperty({ example: 'notify' })
  enforcement!: string;

  @ApiProperty({ example: 1000 })
  amount_usd!: number;

  @ApiProperty({ example: 910.5 })
  spent_usd!: number;

  @ApiProperty({ format: 'date-time', example: AT })
  window_start!: string;

  @ApiProperty({ format: 'date-time', example: AT })
  window_end!: string;
}

@ApiSchema({ name: 'GovernanceOverviewBudgetsDto' })
class OverviewBudgetsDto implements OverviewBudgets {
  @ApiProperty({
    ...COUNT,
    description: 'Number of budgets that have spent at least 80 % of their amount.',
    example: 1,
  })
  above_80!: number;

  @ApiProperty({ type: [BudgetAtRiskDto], description: 'The ten of these budgets that have spent the largest share.' })
  highest!: BudgetAtRiskDto[];

  @ApiProperty({ type: [BudgetAtRiskDto], description: 'Budgets of the whole organization, at most ten.' })
  organization!: BudgetAtRiskDto[];
}

@ApiSchema({ name: 'GovernanceWaitingApprovalDto' })
class WaitingApprovalDto {
  @ApiProperty({ format: 'uuid', example: ID })
  id!: string;

  @ApiProperty({ format: 'uuid', example: ID })
  policy_id!: string;

  @ApiProperty({ example: 'Ask before large models' })
  policy_name!: string;

  @ApiProperty({ example: ID })
  user_id!: string;

  @ApiProperty({ type: String, nullable: true, example: 'ada@example.com' })
  user_email!: string | null;

  @ApiProperty({ example: 'openai' })
  provider!: string;

  @ApiProperty({ example: 'gpt-4o' })
  model!: string;

  @ApiProperty({ format: 'date-time', example: AT })
  requested_at!: string;

  @ApiProperty({ format: 'date-time', example: AT })
  expires_at!: string;
}

@ApiSchema({ name: 'GovernanceOverviewApprovalsDto' })
class OverviewApprovalsDto implements OverviewApprovals {
  @ApiProperty({ ...COUNT, description: 'Number of waiting requests.', example: 1 })
  waiting!: number;

  @ApiProperty({ type: [WaitingApprovalDto], description: 'The ten requests that have waited longest.' })
  oldest!: WaitingApprovalDto[];
}

@ApiSchema({ name: 'GovernanceUnjudgedAnomalyDto' })
class UnjudgedAnomalyDto {
  @ApiProperty({ format: 'uuid', example: ID })
  id!: string;

  @ApiProperty({ example: 'usage_spike' })
  kind!: string;

  @ApiProperty({ enum: SEVERITIES, example: 'high' })
  severity!: Severity;

  @ApiProperty({ type: String, format: 'uuid', nullable: true, example: ID })
  user_id!: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'ada@example.com' })
  user_email!: string | null;

  @ApiProperty({ type: String, nullable: true, example: null })
  model!: string | null;

  @ApiProperty({ example: 'cost' })
  metric!: string;

  @ApiProperty({ example: 310.2 })
  observed!: number;

  @ApiProperty({ example: 42 })
  expected_high!: number;

  @ApiProperty({ format: 'date-time', example: AT })
  detected_at!: string;

  @ApiProperty({ format: 'uuid', example: ID })
  incident_id!: string;
}

@ApiSchema({ name: 'GovernanceOverviewAnomaliesDto' })
class OverviewAnomaliesDto implements OverviewAnomalies {
  @ApiProperty({ ...COUNT, description: 'Alarms of the last seven days without feedback.', example: 1 })
  unjudged!: number;

  @ApiProperty({ type: [UnjudgedAnomalyDto], description: 'The ten newest of these alarms.' })
  newest!: UnjudgedAnomalyDto[];
}

@ApiSchema({ name: 'GovernanceFirstStepDto' })
class FirstStepDto {
  @ApiProperty({ enum: FIRST_STEPS, description: 'The kind of resource to create.', example: 'policy' })
  name!: FirstStep;

  @ApiProperty({ example: true })
  done!: boolean;
}

const ownWord = (what: string): string => `${what}; null without the scope to read them, or without their library.`;

/** Everything that needs attention. */
@ApiSchema({ name: 'GovernanceOverviewResponseDto' })
export class OverviewResponseDto {
  @ApiProperty({ format: 'date-time', description: 'Time of the snapshot.', example: AT })
  generated_at!: string;

  @ApiProperty({ type: OverviewIncidentsDto, nullable: true, description: ownWord('Open incidents'), example: null })
  incidents!: OverviewIncidentsDto | null;

  @ApiProperty({
    type: OverviewDeliveriesDto,
    nullable: true,
    description: ownWord('Failed deliveries'),
    example: null,
  })
  deliveries!: OverviewDeliveriesDto | null;

  @ApiProperty({
    type: OverviewConnectorsDto,
    nullable: true,
    description: ownWord('Connectors that cannot open tickets'),
    example: null,
  })
  connectors!: OverviewConnectorsDto | null;

  @ApiProperty({
    type: OverviewBudgetsDto,
    nullable: true,
    description: ownWord('Budgets that are nearly spent'),
    example: null,
  })
  budgets!: OverviewBudgetsDto | null;

  @ApiProperty({
    type: [BudgetAtRiskDto],
    nullable: true,
    description:
      'Budgets of the user behind the credential, and that user’s part of budgets that are split by user, at most 20; ' +
      'empty for a credential without a user, null without the scope `usage:read:own`.',
    example: null,
  })
  own_budgets!: readonly BudgetAtRiskDto[] | null;

  @ApiProperty({
    type: OverviewApprovalsDto,
    nullable: true,
    description: ownWord('Waiting requests for approval'),
    example: null,
  })
  approvals!: OverviewApprovalsDto | null;

  @ApiProperty({
    type: OverviewAnomaliesDto,
    nullable: true,
    description: ownWord('Alarms without feedback'),
    example: null,
  })
  anomalies!: OverviewAnomaliesDto | null;

  @ApiProperty({
    type: [FirstStepDto],
    description: 'First steps of a new organization. Only libraries that the app includes have a step.',
  })
  first_steps!: FirstStepDto[];
}
