import { ApiSchema } from '@nestjs/swagger';
import { dtoOf, f } from '#access';
import { POLICY_ACTIONS } from '../decide/index.js';
import { DECISION_REASONS } from '../records/decision.js';
import { ShownBudgetDto, ShownConditionDto, ShownReservationDto } from '../decisions/decision-response.dto.js';
import { AUTHOR_EXAMPLE, CONTENT_EXAMPLE, PolicyAuthorDto, PolicyContentDto } from '../history/policy-version.dto.js';
import { POLICY_CHANGES } from '../policies/policy-version.js';
import {
  DECIDED_BY,
  NOT_MATCHED_BECAUSE,
  type ExplainedCondition,
  type ExplainedDecision,
  type ExplainedPolicy,
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
class ExplainedConditionDto
  extends dtoOf(ShownConditionDto, { held: f.flag(true, 'Whether it held.') })
  implements ExplainedCondition {}

@ApiSchema({ name: 'GovernanceExplainedPolicyDto' })
class ExplainedPolicyDto
  extends dtoOf({
    id: f.uuid(POLICY_EXAMPLE),
    name: f.text(NAME_EXAMPLE, 'Name of the policy at that time.'),
    action: f.choice(POLICY_ACTIONS, 'block'),
    version: f.integer(3, 'Version of the policy that matched.'),
    content: f
      .nested(
        PolicyContentDto,
        'Content of this version; null if the history does not reach back to it.',
        CONTENT_EXAMPLE,
      )
      .nullable(),
    conditions: f.listOf(ExplainedConditionDto, 'Every condition, with the value that it was compared with.'),
    change: f.choice(POLICY_CHANGES, 'updated', 'The kind of change that created this version.').nullable(),
    changed_at: f.instant(TIME_EXAMPLE).nullable(),
    changed_by: f.nested(PolicyAuthorDto, 'Author of this version.', AUTHOR_EXAMPLE).nullable(),
  })
  implements ExplainedPolicy {}

@ApiSchema({ name: 'GovernanceUnmatchedPolicyDto' })
class UnmatchedPolicyDto
  extends dtoOf({
    id: f.uuid(UNMATCHED_EXAMPLE.id),
    name: f.text(UNMATCHED_EXAMPLE.name, 'Name of the policy at that time.'),
    action: f.choice(POLICY_ACTIONS, 'require_approval'),
    version: f.integer(1, 'The version that was in force.'),
    because: f.choice(
      NOT_MATCHED_BECAUSE,
      'condition',
      'Why the policy did not match. `not_evaluable`: an operator of its conditions is no longer installed. ' +
        '`not_recorded`: the policy would match now, so an operator was missing then or has changed.',
    ),
    message: f.text(UNMATCHED_EXAMPLE.message, 'The reason as a sentence.'),
    condition: f.nested(ShownConditionDto, 'The condition that did not hold.').optional(),
  })
  implements UnmatchedPolicy {}

@ApiSchema({ name: 'GovernanceUnmatchedPoliciesDto' })
class UnmatchedPoliciesDto extends dtoOf({
  total: f.integer(1, 'Total number of policies.'),
  items: f.listOf(UnmatchedPolicyDto, 'The first 100, in the order in which decisions list policies.'),
}) {}

@ApiSchema({ name: 'GovernanceWinnerDto' })
class WinnerDto extends dtoOf({
  id: f.uuid(POLICY_EXAMPLE),
  version: f.integer(3),
}) {}

/** A decision as it was made. */
@ApiSchema({ name: 'GovernanceExplainedDecisionDto' })
export class ExplainedDecisionDto
  extends dtoOf({
    evaluated_at: f.instant(TIME_EXAMPLE),
    provider: f.text('openai'),
    model: f.text('gpt-4o'),
    action: f.choice(POLICY_ACTIONS, 'block'),
    allowed: f.flag(false, 'True for allow and alert.'),
    reason: f.choice(DECISION_REASONS, 'policy'),
    decided_by: f.choice(DECIDED_BY, 'policy', 'What settled it.'),
    winner: f
      .nested(WinnerDto, 'The policy that determined the action, if one did.', { id: POLICY_EXAMPLE, version: 3 })
      .nullable(),
    person: f.nested(ExplainedPersonDto, 'The person, with the attributes that the decision used.'),
    device: f
      .nested(ExplainedDeviceDto, 'The device that the request named; null if it named none.', DEVICE_EXAMPLE)
      .nullable(),
    policies: f.listOf(ExplainedPolicyDto, 'The first 100 policies that matched, the winner first.'),
    policies_total: f.integer(1, 'How many matched.'),
    not_matched: f
      .nested(
        UnmatchedPoliciesDto,
        'Policies that were in force and did not match. Null if no policy was evaluated, or if the history does not ' +
          'reach back far enough.',
        { total: 1, items: [UNMATCHED_EXAMPLE] },
      )
      .nullable(),
    approval_id: f.uuid('019aa0f4-3c8d-7e21-8b57-6d1c2f9e4a10', 'The approval that the decision requires.').optional(),
    reservation: f.nested(ShownReservationDto, 'The amount that the decision reserved in budgets.').optional(),
    budgets: f.listOf(ShownBudgetDto, 'The budgets that were exhausted.').optional(),
  })
  implements ExplainedDecision {}
