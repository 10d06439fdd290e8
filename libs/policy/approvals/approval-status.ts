/** Where an approval stands. */
export const APPROVAL_STATUSES = ['pending', 'approved', 'denied', 'expired', 'revoked'] as const;
/** Where an approval stands. */
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];
