import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { DECISION_REASONS, type DecisionReason, type ShownCondition } from '../records/decision.js';
import { ShownConditionDto } from '../decisions/decision-response.dto.js';
import { OUTCOMES, type Outcome } from './comparison.js';

const UUID_EXAMPLE = '019aa0f2-7c31-7b5e-9d27-3a0c8f4f2a11';
const MATCHED = { type: 'integer', description: 'Decisions that the draft matches.', example: 40 } as const;
const CHANGED = { type: 'integer', description: 'Decisions whose action differs.', example: 38 } as const;
const COST = {
  description: 'Cost in US dollars of the requests that are allowed now and would be refused.',
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
    description:
      '`unavailable` (listed only if it occurs): no decision, because a policy names an operator that is no longer ' +
      'installed.',
    example: 'block',
  })
  action!: Outcome;

  @ApiProperty({ type: 'integer', description: 'Number with the current policies.', example: 12 })
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
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Department at the time of the decision; null for none.',
    example: 'Sales',
  })
  department!: string | null;
}

@ApiSchema({ name: 'GovernanceModelCountsDto' })
class ModelCountsDto extends CountsDto {
  @ApiProperty({ example: 'gpt-4o' })
  model!: string;
}

@ApiSchema({ name: 'GovernanceOtherCountsDto' })
class OtherCountsDto extends CountsDto {
  @ApiProperty({ type: 'integer', description: 'Number of entries that are not listed.', example: 212 })
  keys!: number;
}

const OTHERS = {
  type: OtherCountsDto,
  nullable: true,
  description: 'Null if all entries are listed.',
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
    description: 'Outcome with the current policies.',
    example: { action: 'allow', reason: 'no_policy_matched' },
  })
  before!: SampledOutcomeDto;

  @ApiProperty({ type: SampledOutcomeDto, description: 'With the draft.' })
  after!: SampledOutcomeDto;

  @ApiProperty({
    type: [ShownConditionDto],
    description:
      'Why the draft matches. If it does not match, why the replaced policy matches. Empty if neither matches.',
  })
  matched_conditions!: readonly ShownCondition[];
}

@ApiSchema({ name: 'GovernanceSimulatedUsageDto' })
class SimulatedUsageDto {
  @ApiProperty({ format: 'date', description: 'First day, UTC.', example: '2026-11-14' })
  from!: string;

  @ApiProperty({ format: 'date', description: 'Last day, UTC.', example: '2026-11-20' })
  to!: string;

  @ApiProperty({ type: 'integer', description: 'Number of reported requests.', example: 5200 })
  requests!: number;

  @ApiProperty({
    type: 'integer',
    description: 'Requests of people whom the draft matches with their current attributes.',
    example: 310,
  })
  matched_requests!: number;

  @ApiProperty({
    type: 'integer',
    description: 'Allowed by the current policies, refused with the draft.',
    example: 304,
  })
  refused_requests!: number;

  @ApiProperty({ description: 'Cost of these requests in US dollars.', example: 31.2 })
  refused_cost_usd!: number;
}

/** The effect that a draft would have had. */
@ApiSchema({ name: 'GovernanceSimulationResponseDto' })
export class SimulationResponseDto {
  @ApiProperty({ format: 'date-time', example: '2026-11-13T13:00:00.000Z' })
  from!: string;

  @ApiProperty({ format: 'date-time', example: '2026-11-20T13:00:00.000Z' })
  to!: string;

  @ApiProperty({ type: 'integer', description: 'Recorded decisions that were evaluated again.', example: 5120 })
  evaluated!: number;

  @ApiProperty(MATCHED)
  matched!: number;

  @ApiProperty(CHANGED)
  changed!: number;

  @ApiProperty({
    type: 'integer',
    description: 'Allowed by the current policies, refused with the draft.',
    example: 38,
  })
  newly_refused!: number;

  @ApiProperty({ type: 'integer', description: 'Refused by the current policies, allowed with the draft.', example: 0 })
  newly_allowed!: number;

  @ApiProperty(COST)
  cost_usd!: number;

  @ApiProperty({
    description:
      'Whether records are sampled now, or some of these are samples. A sample counts for all decisions that it ' +
      'represents.',
    example: false,
  })
  estimated!: boolean;

  @ApiProperty({ type: [ActionCountsDto], description: 'Number of decisions by action.' })
  by_action!: ActionCountsDto[];

  @ApiProperty({
    type: [UserCountsDto],
    description: 'The 100 people with the most changes, then with the most matches.',
  })
  by_user!: UserCountsDto[];

  @ApiProperty({ type: [DepartmentCountsDto], description: 'The same by department.' })
  by_department!: DepartmentCountsDto[];

  @ApiProperty({ type: [ModelCountsDto], description: 'The same by model.' })
  by_model!: ModelCountsDto[];

  @ApiProperty({ type: OthersDto, description: 'Totals of the entries that are not listed.' })
  others!: OthersDto;

  @ApiProperty({ type: [SampledDecisionDto], description: 'The newest 20 decisions whose action differs.' })
  sample!: SampledDecisionDto[];

  @ApiProperty({
    type: SimulatedUsageDto,
    nullable: true,
    description: 'Reported usage of the same number of days, evaluated with the current attributes of the people.',
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
