import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { ChoiceField, InstantField, PageQueryDto, TextField, UuidField } from '#access';
import { APPROVAL_STATUSES, type ApprovalStatus } from './approval-status.js';

const UUID_EXAMPLE = '019aa0f2-7c31-7b5e-9d27-3a0c8f4f2a11';
const REASON_MAX = 1_000;
const PERSON_MAX = 320;

const REASON = {
  max: REASON_MAX,
  optional: true,
  description: 'Why, for the person and for the audit log.',
  example: 'For the migration this week.',
};

/** Body of `POST /v1/approvals/{id}/approve`. */
@ApiSchema({ name: 'GovernanceApproveDto' })
export class ApproveDto {
  @InstantField({
    optional: true,
    description: 'When the grant ends: in the future, at most 90 days away. Default: in 24 hours.',
    example: '2026-11-21T18:00:00Z',
  })
  expires_at?: string;

  @TextField(REASON)
  reason?: string;
}

/** Body of `POST /v1/approvals/{id}/deny`. */
@ApiSchema({ name: 'GovernanceDenyDto' })
export class DenyDto {
  @TextField({ ...REASON, example: 'The small model does it, too.' })
  reason?: string;
}

/** Body of `POST /v1/approvals/{id}/revoke`. */
@ApiSchema({ name: 'GovernanceRevokeDto' })
export class RevokeDto {
  @TextField({ ...REASON, example: 'The migration is done.' })
  reason?: string;
}

/** Which approvals to list. */
export class ApprovalQueryDto extends PageQueryDto {
  @ChoiceField(APPROVAL_STATUSES, { optional: true, description: 'Only approvals that stand so at present.' })
  status?: ApprovalStatus;

  @TextField({
    max: PERSON_MAX,
    optional: true,
    description: 'Only approvals about this person, as `user_id` of an approval names them.',
  })
  user_id?: string;

  @UuidField({ optional: true, description: 'Only approvals that this policy asked for.' })
  policy_id?: string;
}

@ApiSchema({ name: 'GovernanceApprovalDeciderDto' })
class ApprovalDeciderDto {
  @ApiProperty({ description: '`token`, `jwt`, `host` or `cli`.', example: 'token' })
  kind!: string;

  @ApiProperty({ description: 'Of the credential; never a secret.', example: '0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33' })
  id!: string;

  @ApiProperty({ example: 'Grace Hopper' })
  name!: string;

  @ApiProperty({ type: String, nullable: true, description: 'The user behind the credential.', example: UUID_EXAMPLE })
  user_id!: string | null;

  @ApiProperty({
    description:
      'Whether a user was behind the credential. False: a token that belongs to nobody, or that was made by one.',
    example: true,
  })
  person!: boolean;

  @ApiProperty({
    type: [String],
    required: false,
    description: 'The users or subjects who issued the credential, the last first, where that was somebody else.',
    example: [UUID_EXAMPLE],
  })
  issued_by?: string[];

  @ApiProperty({
    type: Boolean,
    required: false,
    description: 'True where a credential that belongs to nobody made this one, at any distance.',
    example: true,
  })
  issued_by_nobody?: true;
}

/** What somebody asked to be granted, and what became of it. */
@ApiSchema({ name: 'GovernanceApprovalResponseDto' })
export class ApprovalResponseDto {
  @ApiProperty({ format: 'uuid', example: '019aa0f4-3c8d-7e21-8b57-6d1c2f9e4a10' })
  id!: string;

  @ApiProperty({ format: 'uuid', example: '019aa0f0-11d2-7f40-8a3c-5b1f0a9c7e22' })
  org_id!: string;

  @ApiProperty({ format: 'uuid', description: 'The policy that asks for approval.', example: UUID_EXAMPLE })
  policy_id!: string;

  @ApiProperty({ description: 'As it was when the approval was first asked for.', example: 'Contractors ask first' })
  policy_name!: string;

  @ApiProperty({
    description: 'The person; the e-mail address of somebody whom the directory does not know.',
    example: '019aa0f1-5d20-7c11-a4be-2f3e9b7d6c58',
  })
  user_id!: string;

  @ApiProperty({ type: String, nullable: true, example: 'ada@example.com' })
  user_email!: string | null;

  @ApiProperty({
    description: 'As named when the approval was first asked for; a grant holds with every provider.',
    example: 'openai',
  })
  provider!: string;

  @ApiProperty({ description: 'Exactly as it was asked for.', example: 'gpt-4o' })
  model!: string;

  @ApiProperty({ enum: APPROVAL_STATUSES, description: 'As of now.', example: 'pending' })
  status!: ApprovalStatus;

  @ApiProperty({ type: 'integer', minimum: 1, description: 'Decisions that were refused for want of it.', example: 3 })
  requests!: number;

  @ApiProperty({ format: 'date-time', example: '2026-11-20T13:00:00.000Z' })
  requested_at!: string;

  @ApiProperty({ format: 'date-time', example: '2026-11-20T13:20:00.000Z' })
  last_requested_at!: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When it was approved, denied or revoked, whichever was last.',
    example: null,
  })
  decided_at!: string | null;

  @ApiProperty({ type: ApprovalDeciderDto, nullable: true, description: 'Who did.', example: null })
  decided_by!: ApprovalDeciderDto | null;

  @ApiProperty({ type: String, nullable: true, description: 'What they said.', example: null })
  reason!: string | null;

  @ApiProperty({
    format: 'date-time',
    description: 'Pending: when the request expires. Approved: when the grant ends.',
    example: '2026-11-27T13:00:00.000Z',
  })
  expires_at!: string;
}
