import { presenterOf } from '#access';
import { ApprovalResponseDto } from './approval.dto.js';
import type { Approval } from './approval.entity.js';

/** An approval in responses, with its status at the given time. */
export const presentApproval = presenterOf(ApprovalResponseDto, (approval: Approval, now: Date) => ({
  status: approval.statusAt(now),
  decided_by: approval.decidedBy && {
    ...approval.decidedBy,
    person: approval.decidedBy.person ?? approval.decidedBy.user_id !== null,
  },
}));
