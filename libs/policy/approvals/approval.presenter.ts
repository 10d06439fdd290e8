import type { ApprovalResponseDto } from './approval.dto.js';
import type { Approval } from './approval.entity.js';

/** An approval as the API shows it at a time. */
export function presentApproval(approval: Approval, now: Date): ApprovalResponseDto {
  return {
    id: approval.id,
    org_id: approval.orgId,
    policy_id: approval.policyId,
    policy_name: approval.policyName,
    user_id: approval.userId,
    user_email: approval.userEmail,
    provider: approval.provider,
    model: approval.model,
    status: approval.statusAt(now),
    requests: approval.requests,
    requested_at: approval.requestedAt.toISOString(),
    last_requested_at: approval.lastRequestedAt.toISOString(),
    decided_at: approval.decidedAt?.toISOString() ?? null,
    decided_by:
      approval.decidedBy === null
        ? null
        : { ...approval.decidedBy, person: approval.decidedBy.person ?? approval.decidedBy.user_id !== null },
    reason: approval.reason,
    expires_at: approval.expiresAt.toISOString(),
  };
}
