import { option } from '#core';

/** Who may decide requests for approval, how long requests wait, and how long grants last. */
export interface ApprovalOptions {
  /** Hours for which a grant is valid if the approver specifies no end. 1 to 2,160 (90 days). Default: 24. */
  defaultHours?: number;
  /** Days after which an undecided approval request expires. 1 to 365. Default: 7. */
  pendingDays?: number;
  /**
   * Whether only users of the organization may approve and deny. A token without a user is then refused with 403,
   * because it does not prove that a second person decided. Default: false.
   */
  requirePerson?: boolean;
}

/** Injection token of {@link ApprovalOptions}. */
export const APPROVAL_OPTIONS = Symbol('governance.approval-options');

/** Maximum duration of a grant, in days. */
export const GRANT_DAYS_MAX = 90;

/** Validation rules of the options. */
export const APPROVAL_RULES = {
  defaultHours: option.whole(1, GRANT_DAYS_MAX * 24),
  pendingDays: option.whole(1, 365),
  requirePerson: option.flag(),
} satisfies option.RulesOf<ApprovalOptions>;
