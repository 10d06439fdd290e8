/** Statuses of an approval. */
export const APPROVAL_STATUSES = ['pending', 'approved', 'denied', 'expired', 'revoked'] as const;
/** Status of an approval. */
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];
