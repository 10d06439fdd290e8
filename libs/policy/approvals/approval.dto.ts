import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { ChoiceField, InstantField, PageQueryDto, TextField, UuidField } from '#access';
import { APPROVAL_STATUSES, type ApprovalStatus } from './approval-status.js';

const UUID_EXAMPLE = '019aa0f2-7c31-7b5e-9d27-3a0c8f4f2a11';
const REASON_MAX = 1_000;
const PERSON_MAX = 320;

const REASON = {
  max: REASON_MAX,
  optional: true,
  description: 'The reason, shown to the person and kept in the audit log.',
  example: 'For the migration this week.',
};

/** Body of `POST /v1/approvals/{id}/approve`. */
@ApiSchema({ name: 'GovernanceApproveDto' })
export class ApproveDto {
  @InstantField({
    optional: true,
    description: 'End of the grant: in the future, at most 90 days from now. Default: 24 hours from now.',
    example: '2026-11-21T18:00:00Z',
  })
  expires_at?: string;

  @TextField(REASON)
  reason?: string;
}

/** Body of `POST /v1/approvals/{id}/deny`. */
@ApiSchema({ name: 'GovernanceDenyDto' })
export class DenyDto {
  @TextField({ ...REASON, example: 'The small model is enough.' })
  reason?: string;
}

/** Body of `POST /v1/approvals/{id}/revoke`. */
@ApiSchema({ name: 'GovernanceRevokeDto' })
export class RevokeDto {
  @TextField({ ...REASON, example: 'The migration is complete.' })
  reason?: string;
}

/** Which approvals to list. */
export class ApprovalQueryDto extends PageQueryDto {
  @ChoiceField(APPROVAL_STATUSES, { optional: true, description: 'Only approvals that have this status now.' })
  status?: ApprovalStatus;

  @TextField({
    max: PERSON_MAX,
    optional: true,
    description: 'Only approvals about this person: the `user_id` of the approval.',
  })
  user_id?: string;

  @UuidField({ optional: true, description: 'Only approvals that this policy requires.' })
  policy_id?: string;
}

@ApiSchema({ name: 'GovernanceApprovalDeciderDto' })
class ApprovalDeciderDto {
  @ApiProperty({ description: '`token`, `jwt`, `host` or `cli`.', example: 'token' })
  kind!: string;

  @ApiProperty({
    description: 'Id of the credential; never a secret.',
    example: '0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33',
  })
  id!: string;

  @ApiProperty({ example: 'Grace Hopper' })
  name!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The user that the credential belongs to.',
    example: UUID_EXAMPLE,
  })
  user_id!: string | null;

  @ApiProperty({
    description:
      'Whether the credential belongs to a user. False for a service token, and for every token that a service ' +
      'token created.',
    example: true,
  })
  person!: boolean;

  @ApiProperty({
    type: [String],
    required: false,
    description: 'The users or subjects who issued the credential, the last first. Left out if its own user issued it.',
    example: [UUID_EXAMPLE],
  })
  issued_by?: string[];

  @ApiProperty({
    type: Boolean,
    required: false,
    description: 'True if a service token created this credential, directly or through other tokens.',
    example: true,
  })
  issued_by_nobody?: true;
}

/** A request for approval, with its status and its approver. */
@ApiSchema({ name: 'GovernanceApprovalResponseDto' })
export class ApprovalResponseDto {
  @ApiProperty({ format: 'uuid', example: '019aa0f4-3c8d-7e21-8b57-6d1c2f9e4a10' })
  id!: string;

  @ApiProperty({ format: 'uuid', example: '019aa0f0-11d2-7f40-8a3c-5b1f0a9c7e22' })
  org_id!: string;

  @ApiProperty({ format: 'uuid', description: 'The policy that requires the approval.', example: UUID_EXAMPLE })
  policy_id!: string;

  @ApiProperty({
    description: 'Name of the policy when the approval was first requested.',
    example: 'Contractors ask first',
  })
  policy_name!: string;

  @ApiProperty({
    description: 'Id of the person, or the e-mail address of a person whom the directory does not know.',
    example: '019aa0f1-5d20-7c11-a4be-2f3e9b7d6c58',
  })
  user_id!: string;

  @ApiProperty({ type: String, nullable: true, example: 'ada@example.com' })
  user_email!: string | null;

  @ApiProperty({
    description: 'The provider of the first request. A grant applies to every provider.',
    example: 'openai',
  })
  provider!: string;

  @ApiProperty({ description: 'The model, exactly as requested.', example: 'gpt-4o' })
  model!: string;

  @ApiProperty({ enum: APPROVAL_STATUSES, description: 'As of now.', example: 'pending' })
  status!: ApprovalStatus;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    description: 'Number of decisions that were refused because this approval was missing.',
    example: 3,
  })
  requests!: number;

  @ApiProperty({ format: 'date-time', example: '2026-11-20T13:00:00.000Z' })
  requested_at!: string;

  @ApiProperty({ format: 'date-time', example: '2026-11-20T13:20:00.000Z' })
  last_requested_at!: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Time of the last approval, denial or revocation.',
    example: null,
  })
  decided_at!: string | null;

  @ApiProperty({ type: ApprovalDeciderDto, nullable: true, description: 'Who did.', example: null })
  decided_by!: ApprovalDeciderDto | null;

  @ApiProperty({ type: String, nullable: true, description: 'What they said.', example: null })
  reason!: string | null;

  @ApiProperty({
    format: 'date-time',
    description: 'Pending: the time when the request expires. Approved: the time when the grant ends.',
    example: '2026-11-27T13:00:00.000Z',
  })
  expires_at!: string;
}
