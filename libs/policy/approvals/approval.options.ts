/** How long approvals are waited for, and how long they last. */
export interface ApprovalOptions {
  /** Hours for which a grant lasts whose approver names no end. 1 to 2,160 (90 days). Default: 24. */
  defaultHours?: number;
  /** Days after which a request that nobody has decided expires. 1 to 365. Default: 7. */
  pendingDays?: number;
}

/** Injection token of {@link ApprovalOptions}. */
export const APPROVAL_OPTIONS = Symbol('governance.approval-options');

/** Longest time for which a grant can last, in days. */
export const GRANT_DAYS_MAX = 90;

const DEFAULTS: Required<ApprovalOptions> = { defaultHours: 24, pendingDays: 7 };
const MOST = { defaultHours: GRANT_DAYS_MAX * 24, pendingDays: 365 };

/** A number of the options. @throws Error where it is not a whole one in its range */
export function approvalOption(options: ApprovalOptions, name: keyof ApprovalOptions): number {
  const value = options[name] ?? DEFAULTS[name];
  if (Number.isInteger(value) && value >= 1 && value <= MOST[name]) return value;
  throw new Error(`approvals.${name}: must be a whole number from 1 to ${MOST[name]}, and is ${value}`);
}
