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

  @ApiProperty({ enum: POLICY_SINCE, description: 'What has become of it.', example: 'deleted' })
  status!: PolicySince;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Of the newest entry of its history.', example: 6 })
  version!: number | null;

  @ApiProperty({ description: 'Whether decisions follow it now.', example: false })
  in_force!: boolean;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: '2026-11-20T15:00:00.000Z' })
  changed_at!: string | null;

  @ApiProperty({
    type: PolicyAuthorDto,
    nullable: true,
    description: 'Who changed it last.',
    example: AUTHOR_EXAMPLE,
  })
  changed_by!: PolicyAuthor | null;
}

@ApiSchema({ name: 'GovernancePersonNowDto' })
class PersonNowDto extends ExplainedPersonDto implements PersonNow {
  @ApiProperty({
    type: [String],
    description:
      'What differs from then, also attributes that the directory has no more. The record does not say which attributes ' +
      'the request had claimed: those count as well.',
    example: ['department'],
  })
  changed!: string[];
}

@ApiSchema({ name: 'GovernanceChangedSinceDto' })
class ChangedSinceDto implements ChangedSince<ApprovalResponseDto> {
  @ApiProperty({ type: [PolicyNowDto], description: 'Of the policies that are shown as matching, in their order.' })
  policies!: PolicyNowDto[];

  @ApiProperty({
    type: PersonNowDto,
    nullable: true,
    description: 'As the directory knows the person now; null where it does not.',
    example: { ...PERSON_EXAMPLE, department: 'Research', changed: ['department'] },
  })
  person!: PersonNowDto | null;

  @ApiProperty({
    type: [ApprovalResponseDto],
    description: 'The approvals that it waited for, or was allowed by, as they stand now.',
  })
  approvals!: ApprovalResponseDto[];
}

/** Why a decision came out as it did. */
@ApiSchema({ name: 'GovernanceExplanationDto' })
export class ExplanationDto implements Explanation<ApprovalResponseDto> {
  @ApiProperty({ format: 'uuid', example: '019aa0f3-02b4-7001-8f4e-90d2c1b7aa35' })
  decision_id!: string;

  @ApiProperty({
    description: 'One sentence for a person, made of `as_it_was` alone.',
    example:
      'Ada Lovelace was refused gpt-4o of openai: the policy “No GPT-4 outside research” (version 3) blocks it, because ' +
      'department is none of “Research” (it was “Sales”).',
  })
  summary!: string;

  @ApiProperty({ description: 'False where the history does not reach back far enough.', example: true })
  complete!: boolean;

  @ApiProperty({ type: ExplainedDecisionDto, description: 'What was so then; never changes.' })
  as_it_was!: ExplainedDecisionDto;

  @ApiProperty({ type: ChangedSinceDto, description: 'What has changed since.' })
  since!: ChangedSinceDto;
}
