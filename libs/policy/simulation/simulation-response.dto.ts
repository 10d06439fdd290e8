import { ApiSchema } from '@nestjs/swagger';
import { dtoOf, f } from '#access';
import { DECISION_REASONS } from '../records/decision.js';
import { ShownConditionDto } from '../decisions/decision-response.dto.js';
import { OUTCOMES } from './comparison.js';

const UUID_EXAMPLE = '019aa0f2-7c31-7b5e-9d27-3a0c8f4f2a11';
const COUNTS = {
  matched: f.integer(40, 'Decisions that the draft matches.'),
  changed: f.integer(38, 'Decisions whose action differs.'),
  cost_usd: f.decimal(4.137, 'Cost in US dollars of the requests that are allowed now and would be refused.'),
};

@ApiSchema({ name: 'GovernanceActionCountsDto' })
class ActionCountsDto extends dtoOf({
  action: f.choice(
    OUTCOMES,
    'block',
    '`unavailable` (listed only if it occurs): no decision, because a policy names an operator that is no longer ' +
      'installed.',
  ),
  before: f.integer(12, 'Number with the current policies.'),
  after: f.integer(50, 'With the draft.'),
}) {}

@ApiSchema({ name: 'GovernanceUserCountsDto' })
class UserCountsDto extends dtoOf({
  ...COUNTS,
  user_id: f.uuid(UUID_EXAMPLE).nullable(),
  user_email: f.text('ada@example.com').nullable(),
}) {}

@ApiSchema({ name: 'GovernanceDepartmentCountsDto' })
class DepartmentCountsDto extends dtoOf({
  ...COUNTS,
  department: f.text('Sales', 'Department at the time of the decision; null for none.').nullable(),
}) {}

@ApiSchema({ name: 'GovernanceModelCountsDto' })
class ModelCountsDto extends dtoOf({ ...COUNTS, model: f.text('gpt-4o') }) {}

@ApiSchema({ name: 'GovernanceOtherCountsDto' })
class OtherCountsDto extends dtoOf({ ...COUNTS, keys: f.integer(212, 'Number of entries that are not listed.') }) {}

const OTHERS = f.nested(OtherCountsDto, 'Null if all entries are listed.', null).nullable();

@ApiSchema({ name: 'GovernanceOthersDto' })
class OthersDto extends dtoOf({
  by_user: OTHERS,
  by_department: OTHERS,
  by_model: OTHERS,
}) {}

@ApiSchema({ name: 'GovernanceSampledOutcomeDto' })
class SampledOutcomeDto extends dtoOf({
  action: f.choice(OUTCOMES, 'block'),
  reason: f.choice(DECISION_REASONS, 'policy', 'Null with `unavailable`.').nullable(),
}) {}

@ApiSchema({ name: 'GovernanceSampledDecisionDto' })
class SampledDecisionDto extends dtoOf({
  decision_id: f.uuid('019aa0f3-02b4-7001-8f4e-90d2c1b7aa35'),
  evaluated_at: f.instant('2026-11-20T13:00:00.000Z'),
  user_id: f.uuid(UUID_EXAMPLE).nullable(),
  user_email: f.text('ada@example.com').nullable(),
  department: f.text('Sales').nullable(),
  provider: f.text('openai'),
  model: f.text('gpt-4o'),
  before: f.nested(SampledOutcomeDto, 'Outcome with the current policies.', {
    action: 'allow',
    reason: 'no_policy_matched',
  }),
  after: f.nested(SampledOutcomeDto, 'With the draft.'),
  matched_conditions: f.listOf(
    ShownConditionDto,
    'Why the draft matches. If it does not match, why the replaced policy matches. Empty if neither matches.',
  ),
}) {}

@ApiSchema({ name: 'GovernanceSimulatedUsageDto' })
class SimulatedUsageDto extends dtoOf({
  from: f.day('2026-11-14', 'First day, UTC.'),
  to: f.day('2026-11-20', 'Last day, UTC.'),
  requests: f.integer(5200, 'Number of reported requests.'),
  matched_requests: f.integer(
    310,
    'Requests of people whom the draft policy matches, by the attributes that they have today.',
  ),
  refused_requests: f.integer(304, 'Allowed by the current policies, refused with the draft.'),
  refused_cost_usd: f.decimal(31.2, 'Cost of these requests in US dollars.'),
}) {}

/** The effect that a draft would have had. */
@ApiSchema({ name: 'GovernanceSimulationResponseDto' })
export class SimulationResponseDto extends dtoOf({
  from: f.instant('2026-11-13T13:00:00.000Z'),
  to: f.instant('2026-11-20T13:00:00.000Z'),
  evaluated: f.integer(5120, 'Recorded decisions that were evaluated again.'),
  matched: COUNTS.matched,
  changed: COUNTS.changed,
  newly_refused: f.integer(38, 'Allowed by the current policies, refused with the draft.'),
  newly_allowed: f.integer(0, 'Refused by the current policies, allowed with the draft.'),
  cost_usd: COUNTS.cost_usd,
  estimated: f.flag(
    false,
    'Whether records are sampled now, or some of these are samples. A sample counts for all decisions that it ' +
      'represents.',
  ),
  by_action: f.listOf(ActionCountsDto, 'Number of decisions by action.'),
  by_user: f.listOf(UserCountsDto, 'The 100 people with the most changes, then with the most matches.'),
  by_department: f.listOf(DepartmentCountsDto, 'The same by department.'),
  by_model: f.listOf(ModelCountsDto, 'The same by model.'),
  others: f.nested(OthersDto, 'Totals of the entries that are not listed.'),
  sample: f.listOf(SampledDecisionDto, 'The newest 20 decisions whose action differs.'),
  usage: f
    .nested(
      SimulatedUsageDto,
      'Reported usage of the same number of days, evaluated with the current attributes of the people.',
      {
        from: '2026-11-14',
        to: '2026-11-20',
        requests: 5200,
        matched_requests: 310,
        refused_requests: 304,
        refused_cost_usd: 31.2,
      },
    )
    .nullable(),
}) {}
