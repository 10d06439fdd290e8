import { ApiSchema } from '@nestjs/swagger';
import { dtoOf, f } from '#access';
import { ApprovalResponseDto } from '../approvals/approval.dto.js';
import { AUTHOR_EXAMPLE, PolicyAuthorDto } from '../history/policy-version.dto.js';
import { ExplainedDecisionDto } from './explained-decision.dto.js';
import { ExplainedPersonDto, PERSON_EXAMPLE } from './explained-person.dto.js';
import { POLICY_SINCE, type ChangedSince, type Explanation, type PersonNow, type PolicyNow } from './explanation.js';

const POLICY_EXAMPLE = '019aa0f2-7c31-7b5e-9d27-3a0c8f4f2a11';

@ApiSchema({ name: 'GovernancePolicyNowDto' })
class PolicyNowDto
  extends dtoOf({
    id: f.uuid(POLICY_EXAMPLE),
    status: f.choice(POLICY_SINCE, 'deleted', 'State of the policy now, compared with the version that decided.'),
    version: f.integer(6, 'The newest version in the history.').nullable(),
    in_force: f.flag(false, 'Whether the policy applies to decisions now.'),
    changed_at: f.instant('2026-11-20T15:00:00.000Z').nullable(),
    changed_by: f.nested(PolicyAuthorDto, 'Author of the last change.', AUTHOR_EXAMPLE).nullable(),
  })
  implements PolicyNow {}

@ApiSchema({ name: 'GovernancePersonNowDto' })
class PersonNowDto
  extends dtoOf(ExplainedPersonDto, {
    changed: f.texts(
      ['department'],
      'Attributes that differ from the record, including those that the directory no longer has. Attributes that ' +
        'came from the request are listed too, because the record does not distinguish them.',
    ),
  })
  implements PersonNow {}

@ApiSchema({ name: 'GovernanceChangedSinceDto' })
class ChangedSinceDto
  extends dtoOf({
    policies: f.listOf(PolicyNowDto, 'One entry per matching policy, in the order of `as_it_was`.'),
    person: f
      .nested(PersonNowDto, 'The person in the directory now; null if the directory does not know them.', {
        ...PERSON_EXAMPLE,
        department: 'Research',
        changed: ['department'],
      })
      .nullable(),
    approvals: f.listOf(
      ApprovalResponseDto,
      'The approvals that the decision required or used, with their current status.',
    ),
  })
  implements ChangedSince<ApprovalResponseDto> {}

/** The explanation of a decision. */
@ApiSchema({ name: 'GovernanceExplanationDto' })
export class ExplanationDto
  extends dtoOf({
    decision_id: f.uuid('019aa0f3-02b4-7001-8f4e-90d2c1b7aa35'),
    summary: f.text(
      'Ada Lovelace was refused gpt-4o of openai: the policy “No GPT-4 outside research” (version 3) blocks it, because ' +
        'department is none of “Research” (it was “Sales”).',
      'One sentence for people, based on `as_it_was` only.',
    ),
    complete: f.flag(true, 'False if the history does not reach back far enough.'),
    as_it_was: f.nested(ExplainedDecisionDto, 'The decision as it was made; never changes.'),
    since: f.nested(ChangedSinceDto, 'What has changed since.'),
  })
  implements Explanation<ApprovalResponseDto> {}
