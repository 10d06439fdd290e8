import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { DECISION_REASONS, type DecisionReason, type ShownCondition } from '../records/decision.js';
import { ShownConditionDto } from '../decisions/decision-response.dto.js';
import { OUTCOMES, type Outcome } from './comparison.js';

const UUID_EXAMPLE = '019aa0f2-7c31-7b5e-9d27-3a0c8f4f2a11';
const MATCHED = { type: 'integer', description: 'Decisions that the draft itself matches.', example: 40 } as const;
const CHANGED = { type: 'integer', description: 'Decisions whose action differs.', example: 38 } as const;
const COST = {
  description: 'US dollars that the requests have cost which are allowed now and would be refused.',
  example: 4.137,
} as const;

class CountsDto {
  @ApiProperty(MATCHED)
  matched!: number;

  @ApiProperty(CHANGED)
  changed!: number;

  @ApiProperty(COST)
  cost_usd!: number;
}

@ApiSchema({ name: 'GovernanceActionCountsDto' })
class ActionCountsDto {
  @ApiProperty({
    enum: OUTCOMES,
    description: '`unavailable`, only where it occurs: a policy names an operator that is gone, so nothing is decided.',
    example: 'block',
  })
  action!: Outcome;

  @ApiProperty({ type: 'integer', description: 'By the policies as they are.', example: 12 })
  before!: number;

  @ApiProperty({ type: 'integer', description: 'With the draft.', example: 50 })
  after!: number;
}

@ApiSchema({ name: 'GovernanceUserCountsDto' })
class UserCountsDto extends CountsDto {
  @ApiProperty({ type: String, format: 'uuid', nullable: true, example: UUID_EXAMPLE })
  user_id!: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'ada@example.com' })
  user_email!: string | null;
}

@ApiSchema({ name: 'GovernanceDepartmentCountsDto' })
class DepartmentCountsDto extends CountsDto {
  @ApiProperty({ type: String, nullable: true, description: 'As it was then; null for none.', example: 'Sales' })
  department!: string | null;
}

@ApiSchema({ name: 'GovernanceModelCountsDto' })
class ModelCountsDto extends CountsDto {
  @ApiProperty({ example: 'gpt-4o' })
  model!: string;
}

@ApiSchema({ name: 'GovernanceOtherCountsDto' })
class OtherCountsDto extends CountsDto {
  @ApiProperty({ type: 'integer', description: 'How many are not listed.', example: 212 })
  keys!: number;
}

const OTHERS = {
  type: OtherCountsDto,
  nullable: true,
  description: 'Null where all are listed.',
  example: null,
} as const;

@ApiSchema({ name: 'GovernanceOthersDto' })
class OthersDto {
  @ApiProperty(OTHERS)
  by_user!: OtherCountsDto | null;

  @ApiProperty(OTHERS)
  by_department!: OtherCountsDto | null;

  @ApiProperty(OTHERS)
  by_model!: OtherCountsDto | null;
}

@ApiSchema({ name: 'GovernanceSampledOutcomeDto' })
class SampledOutcomeDto {
  @ApiProperty({ enum: OUTCOMES, example: 'block' })
  action!: Outcome;

  @ApiProperty({ enum: DECISION_REASONS, nullable: true, description: 'Null with `unavailable`.', example: 'policy' })
  reason!: DecisionReason | null;
}

@ApiSchema({ name: 'GovernanceSampledDecisionDto' })
class SampledDecisionDto {
  @ApiProperty({ format: 'uuid', example: '019aa0f3-02b4-7001-8f4e-90d2c1b7aa35' })
  decision_id!: string;

  @ApiProperty({ format: 'date-time', example: '2026-11-20T13:00:00.000Z' })
  evaluated_at!: string;

  @ApiProperty({ type: String, format: 'uuid', nullable: true, example: UUID_EXAMPLE })
  user_id!: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'ada@example.com' })
  user_email!: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'Sales' })
  department!: string | null;

  @ApiProperty({ example: 'openai' })
  provider!: string;

  @ApiProperty({ example: 'gpt-4o' })
  model!: string;

  @ApiProperty({
    type: SampledOutcomeDto,
    description: 'By the policies as they are.',
    example: { action: 'allow', reason: 'no_policy_matched' },
  })
  before!: SampledOutcomeDto;

  @ApiProperty({ type: SampledOutcomeDto, description: 'With the draft.' })
  after!: SampledOutcomeDto;

  @ApiProperty({
    type: [ShownConditionDto],
    description:
      'Why the draft matches, or where it does not, why the policy that it replaces does; empty for neither.',
  })
  matched_conditions!: readonly ShownCondition[];
}

@ApiSchema({ name: 'GovernanceSimulatedUsageDto' })
class SimulatedUsageDto {
  @ApiProperty({ format: 'date', description: 'First day, UTC.', example: '2026-11-14' })
  from!: string;

  @ApiProperty({ format: 'date', description: 'Last day, UTC.', example: '2026-11-20' })
  to!: string;

  @ApiProperty({ type: 'integer', description: 'Requests that were reported.', example: 5200 })
  requests!: number;

  @ApiProperty({ type: 'integer', description: 'Of people whom the draft matches as they are now.', example: 310 })
  matched_requests!: number;

  @ApiProperty({ type: 'integer', description: 'Allowed as things are, refused with the draft.', example: 304 })
  refused_requests!: number;

  @ApiProperty({ description: 'US dollars that those have cost.', example: 31.2 })
  refused_cost_usd!: number;
}

/** What a draft would have done. */
@ApiSchema({ name: 'GovernanceSimulationResponseDto' })
export class SimulationResponseDto {
  @ApiProperty({ format: 'date-time', example: '2026-11-13T13:00:00.000Z' })
  from!: string;

  @ApiProperty({ format: 'date-time', example: '2026-11-20T13:00:00.000Z' })
  to!: string;

  @ApiProperty({ type: 'integer', description: 'Recorded decisions that were judged again.', example: 5120 })
  evaluated!: number;

  @ApiProperty(MATCHED)
  matched!: number;

  @ApiProperty(CHANGED)
  changed!: number;

  @ApiProperty({ type: 'integer', description: 'Allowed by the policies as they are, refused with it.', example: 38 })
  newly_refused!: number;

  @ApiProperty({ type: 'integer', description: 'Refused by the policies as they are, allowed with it.', example: 0 })
  newly_allowed!: number;

  @ApiProperty(COST)
  cost_usd!: number;

  @ApiProperty({
    description:
      'Whether records are sampled at present, or some of these are samples, which count for all that they stand for.',
    example: false,
  })
  estimated!: boolean;

  @ApiProperty({ type: [ActionCountsDto], description: 'How often which action came out.' })
  by_action!: ActionCountsDto[];

  @ApiProperty({ type: [UserCountsDto], description: 'The 100 people with the most changes, then matches.' })
  by_user!: UserCountsDto[];

  @ApiProperty({ type: [DepartmentCountsDto], description: 'The same by department.' })
  by_department!: DepartmentCountsDto[];

  @ApiProperty({ type: [ModelCountsDto], description: 'The same by model.' })
  by_model!: ModelCountsDto[];

  @ApiProperty({ type: OthersDto, description: 'What is not among the 100.' })
  others!: OthersDto;

  @ApiProperty({ type: [SampledDecisionDto], description: 'The newest 20 decisions whose action differs.' })
  sample!: SampledDecisionDto[];

  @ApiProperty({
    type: SimulatedUsageDto,
    nullable: true,
    description: 'The reported usage of the same number of days, judged by who the people are now.',
    example: {
      from: '2026-11-14',
      to: '2026-11-20',
      requests: 5200,
      matched_requests: 310,
      refused_requests: 304,
      refused_cost_usd: 31.2,
    },
  })
  usage!: SimulatedUsageDto | null;
}
