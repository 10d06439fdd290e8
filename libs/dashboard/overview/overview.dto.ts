import { ApiSchema } from '@nestjs/swagger';
import { dtoOf, f } from '#access';
import {
  FIRST_STEPS,
  SEVERITIES,
  type OverviewAnomalies,
  type OverviewApprovals,
  type OverviewBudget,
  type OverviewBudgets,
} from '#core';
import { OverviewConnectorsDto, OverviewDeliveriesDto, OverviewIncidentsDto } from './overview-failures.dto.js';

const ID = '0199c2a8-7f00-7a31-9d42-5b1e6f0c8a21';
const AT = '2026-11-20T13:00:00.000Z';
const COUNT = { minimum: 0 };

@ApiSchema({ name: 'GovernanceOverviewBudgetDto' })
class BudgetAtRiskDto
  extends dtoOf({
    id: f.uuid(ID),
    name: f.text('Research'),
    scope: f.text('department'),
    department: f.text('Research').nullable(),
    user_id: f.uuid(null).nullable(),
    model: f.text(null).nullable(),
    period: f.text('monthly'),
    enforcement: f.text('notify'),
    amount_usd: f.decimal(1000),
    spent_usd: f.decimal(910.5),
    window_start: f.instant(AT),
    window_end: f.instant(AT),
  })
  implements OverviewBudget {}

@ApiSchema({ name: 'GovernanceOverviewBudgetsDto' })
class OverviewBudgetsDto
  extends dtoOf({
    above_80: f.integer(1, 'Number of budgets that have spent at least 80 % of their amount.', COUNT),
    highest: f.listOf(BudgetAtRiskDto, 'The ten of these budgets that have spent the largest share.'),
    organization: f.listOf(BudgetAtRiskDto, 'Budgets of the whole organization, at most ten.'),
  })
  implements OverviewBudgets {}

@ApiSchema({ name: 'GovernanceWaitingApprovalDto' })
class WaitingApprovalDto extends dtoOf({
  id: f.uuid(ID),
  policy_id: f.uuid(ID),
  policy_name: f.text('Ask before large models'),
  user_id: f.text(ID),
  user_email: f.text('ada@example.com').nullable(),
  provider: f.text('openai'),
  model: f.text('gpt-4o'),
  requested_at: f.instant(AT),
  expires_at: f.instant(AT),
}) {}

@ApiSchema({ name: 'GovernanceOverviewApprovalsDto' })
class OverviewApprovalsDto
  extends dtoOf({
    waiting: f.integer(1, 'Number of waiting requests.', COUNT),
    oldest: f.listOf(WaitingApprovalDto, 'The ten requests that have waited longest.'),
  })
  implements OverviewApprovals {}

@ApiSchema({ name: 'GovernanceUnjudgedAnomalyDto' })
class UnjudgedAnomalyDto extends dtoOf({
  id: f.uuid(ID),
  kind: f.text('usage_spike'),
  severity: f.choice(SEVERITIES, 'high'),
  user_id: f.uuid(ID).nullable(),
  user_email: f.text('ada@example.com').nullable(),
  model: f.text(null).nullable(),
  metric: f.text('cost'),
  observed: f.decimal(310.2),
  expected_high: f.decimal(42),
  window_start: f.instant(AT, 'Start of the period: a local day of the user, or an hour of the organization.'),
  window_end: f.instant(AT, 'End of the period, exclusive.'),
  detected_at: f.instant(AT),
  incident_id: f.uuid(ID),
}) {}

@ApiSchema({ name: 'GovernanceOverviewAnomaliesDto' })
class OverviewAnomaliesDto
  extends dtoOf({
    unjudged: f.integer(1, 'Alarms of the last seven days without feedback.', COUNT),
    newest: f.listOf(UnjudgedAnomalyDto, 'The ten newest of these alarms.'),
  })
  implements OverviewAnomalies {}

@ApiSchema({ name: 'GovernanceFirstStepDto' })
class FirstStepDto extends dtoOf({
  name: f.choice(FIRST_STEPS, 'policy', 'The kind of resource to create.'),
  done: f.flag(true),
}) {}

const ownWord = (what: string): string => `${what}; null without the scope to read them, or without their library.`;

/** Everything that needs attention. */
@ApiSchema({ name: 'GovernanceOverviewResponseDto' })
export class OverviewResponseDto extends dtoOf({
  generated_at: f.instant(AT, 'Time of the snapshot.'),
  incidents: f.nested(OverviewIncidentsDto, ownWord('Open incidents'), null).nullable(),
  deliveries: f.nested(OverviewDeliveriesDto, ownWord('Failed deliveries'), null).nullable(),
  connectors: f.nested(OverviewConnectorsDto, ownWord('Connectors that cannot open tickets'), null).nullable(),
  budgets: f.nested(OverviewBudgetsDto, ownWord('Budgets that are nearly spent'), null).nullable(),
  own_budgets: f
    .of<readonly BudgetAtRiskDto[]>({
      type: [BudgetAtRiskDto],
      description:
        'Budgets of the user behind the credential, and that user’s part of budgets that are split by user, at most 20; ' +
        'empty for a credential without a user, null without the scope `usage:read:own`.',
      example: null,
    })
    .nullable(),
  approvals: f.nested(OverviewApprovalsDto, ownWord('Waiting requests for approval'), null).nullable(),
  anomalies: f.nested(OverviewAnomaliesDto, ownWord('Alarms without feedback'), null).nullable(),
  first_steps: f.listOf(
    FirstStepDto,
    'First steps of a new organization. Only libraries that the app includes have a step.',
  ),
}) {}
