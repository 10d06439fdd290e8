import { ApiSchema } from '@nestjs/swagger';
import { ChoiceField, dtoOf, f, InstantField, PageQueryDto, TextField, UuidField } from '#access';
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

/** Filters of the list of approvals. */
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
class ApprovalDeciderDto extends dtoOf({
  kind: f.text('token', '`token`, `jwt`, `host` or `cli`.'),
  id: f.text('0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33', 'Id of the credential; never a secret.'),
  name: f.text('Grace Hopper'),
  user_id: f.text(UUID_EXAMPLE, 'The user that the credential belongs to.').nullable(),
  person: f.flag(
    true,
    'Whether the credential belongs to a user. False for a service token, and for every token that a service ' +
      'token created.',
  ),
  issued_by: f
    .texts(
      [UUID_EXAMPLE],
      'The users or subjects who issued the credential, the last first. Left out if its own user issued it.',
    )
    .optional(),
  issued_by_nobody: f
    .of<true>({
      type: Boolean,
      description: 'True if a service token created this credential, directly or through other tokens.',
      example: true,
    })
    .optional(),
}) {}

/** A request for approval, with its status and its approver. */
@ApiSchema({ name: 'GovernanceApprovalResponseDto' })
export class ApprovalResponseDto extends dtoOf({
  id: f.uuid('019aa0f4-3c8d-7e21-8b57-6d1c2f9e4a10'),
  org_id: f.uuid('019aa0f0-11d2-7f40-8a3c-5b1f0a9c7e22'),
  policy_id: f.uuid(UUID_EXAMPLE, 'The policy that requires the approval.'),
  policy_name: f.text('Contractors ask first', 'Name of the policy when the approval was first requested.'),
  user_id: f.text(
    '019aa0f1-5d20-7c11-a4be-2f3e9b7d6c58',
    'Id of the person, or the e-mail address of a person whom the directory does not know.',
  ),
  user_email: f.text('ada@example.com').nullable(),
  provider: f.text('openai', 'The provider of the first request. A grant applies to every provider.'),
  model: f.text('gpt-4o', 'The model, exactly as requested.'),
  status: f.choice(APPROVAL_STATUSES, 'pending', 'As of now.'),
  requests: f.integer(3, 'Number of decisions that were refused because this approval was missing.', { minimum: 1 }),
  requested_at: f.instant('2026-11-20T13:00:00.000Z'),
  last_requested_at: f.instant('2026-11-20T13:20:00.000Z'),
  decided_at: f.instant(null, 'Time of the last approval, denial or revocation.').nullable(),
  decided_by: f.nested(ApprovalDeciderDto, 'Who did.', null).nullable(),
  reason: f.text(null, 'What they said.').nullable(),
  expires_at: f.instant(
    '2026-11-27T13:00:00.000Z',
    'Pending: the time when the request expires. Approved: the time when the grant ends.',
  ),
}) {}
