import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { ApprovalResponseDto } from '../approvals/approval.dto.js';
import { AUTHOR_EXAMPLE, PolicyAuthorDto } from '../history/policy-version.dto.js';
import type { PolicyAuthor } from '../policies/policy-version.js';
import { ExplainedDecisionDto } from './explained-decision.dto.js';
import { ExplainedPersonDto, PERSON_EXAMPLE } from './explained-person.dto.js';
import {
  POLICY_SINCE,
  type ChangedSince,
  type Explanation,
  type PersonNow,
  type PolicyNow,
  type PolicySince,
} from './explanation.js';

const POLICY_EXAMPLE = '019aa0f2-7c31-7b5e-9d27-3a0c8f4f2a11';

@ApiSchema({ name: 'GovernancePolicyNowDto' })
class PolicyNowDto implements PolicyNow {
  @ApiProperty({ format: 'uuid', example: POLICY_EXAMPLE })
  id!: string;

  @ApiProperty({
    enum: POLICY_SINCE,
    description: 'State of the policy now, compared with the version that decided.',
    example: 'deleted',
  })
  status!: PolicySince;

  @ApiProperty({ type: 'integer', nullable: true, description: 'The newest version in the history.', example: 6 })
  version!: number | null;

  @ApiProperty({ description: 'Whether the policy applies to decisions now.', example: false })
  in_force!: boolean;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: '2026-11-20T15:00:00.000Z' })
  changed_at!: string | null;

  @ApiProperty({
    type: PolicyAuthorDto,
    nullable: true,
    description: 'Author of the last change.',
    example: AUTHOR_EXAMPLE,
  })
  changed_by!: PolicyAuthor | null;
}

@ApiSchema({ name: 'GovernancePersonNowDto' })
class PersonNowDto extends ExplainedPersonDto implements PersonNow {
  @ApiProperty({
    type: [String],
    description:
      'Attributes that differ from the record, including those that the directory no longer has. Attributes that ' +
      'came from the request are listed too, because the record does not distinguish them.',
    example: ['department'],
  })
  changed!: string[];
}

@ApiSchema({ name: 'GovernanceChangedSinceDto' })
class ChangedSinceDto implements ChangedSince<ApprovalResponseDto> {
  @ApiProperty({ type: [PolicyNowDto], description: 'One entry per matching policy, in the order of `as_it_was`.' })
  policies!: PolicyNowDto[];

  @ApiProperty({
    type: PersonNowDto,
    nullable: true,
    description: 'The person in the directory now; null if the directory does not know them.',
    example: { ...PERSON_EXAMPLE, department: 'Research', changed: ['department'] },
  })
  person!: PersonNowDto | null;

  @ApiProperty({
    type: [ApprovalResponseDto],
    description: 'The approvals that the decision required or used, with their current status.',
  })
  approvals!: ApprovalResponseDto[];
}

/** The explanation of a decision. */
@ApiSchema({ name: 'GovernanceExplanationDto' })
export class ExplanationDto implements Explanation<ApprovalResponseDto> {
  @ApiProperty({ format: 'uuid', example: '019aa0f3-02b4-7001-8f4e-90d2c1b7aa35' })
  decision_id!: string;

  @ApiProperty({
    description: 'One sentence for people, based on `as_it_was` only.',
    example:
      'Ada Lovelace was refused gpt-4o of openai: the policy “No GPT-4 outside research” (version 3) blocks it, because ' +
      'department is none of “Research” (it was “Sales”).',
  })
  summary!: string;

  @ApiProperty({ description: 'False if the history does not reach back far enough.', example: true })
  complete!: boolean;

  @ApiProperty({ type: ExplainedDecisionDto, description: 'The decision as it was made; never changes.' })
  as_it_was!: ExplainedDecisionDto;

  @ApiProperty({ type: ChangedSinceDto, description: 'What has changed since.' })
  since!: ChangedSinceDto;
}
