import { RefusalError } from '#core';
import type { Decision, DecisionReason } from '#policy';

/** Why a call was refused. */
export type RefusalCode =
  | 'approval_required'
  | 'budget_exceeded'
  | 'model_not_allowed'
  | 'policy_blocked'
  | 'rate_limited'
  | 'unknown_user'
  | 'user_inactive'
  | 'user_suspended';

/** HTTP statuses of refusals. 409 is not used, because provider SDKs retry it. */
export type RefusalStatus = 402 | 403 | 429;

interface Refusal {
  readonly status: RefusalStatus;
  readonly code: RefusalCode;
  readonly message: string;
}

const POLICY: Refusal = { status: 403, code: 'policy_blocked', message: 'A policy blocks this request' };
const APPROVAL: Refusal = { status: 403, code: 'approval_required', message: 'This request needs an approval' };

const REFUSALS = {
  policy: POLICY,
  no_policy_matched: POLICY,
  approval_granted: POLICY,
  user_suspended: { status: 403, code: 'user_suspended', message: 'This person is suspended' },
  user_inactive: { status: 403, code: 'user_inactive', message: 'This person is inactive' },
  unknown_user: { status: 403, code: 'unknown_user', message: 'This person is unknown; create the user first' },
  rate_limited: { status: 429, code: 'rate_limited', message: 'A limit has no room for this request' },
  model_not_allowed: { status: 403, code: 'model_not_allowed', message: 'The access token is not for this model' },
  budget_exceeded: { status: 402, code: 'budget_exceeded', message: 'A budget has no room for this request' },
} satisfies Record<DecisionReason, Refusal>;

/** The call must not be made. The message states the cause and contains no secret. */
export class RefusedError extends RefusalError {
  readonly status: RefusalStatus;
  readonly code: RefusalCode;
  /** Seconds to wait before a retry. Set only if a rate limit refused the call. */
  override readonly retryAfterSeconds: number | undefined;

  constructor(readonly decision: Decision) {
    const { status, code, message } = refusalOf(decision);
    super(`${message}${because(decision)}.`);
    this.status = status;
    this.code = code;
    const wait = decision.retry_after_ms;
    this.retryAfterSeconds = wait === undefined ? undefined : Math.ceil(wait / 1_000);
  }
}

function refusalOf({ action, reason }: Decision): Refusal {
  return action === 'require_approval' ? APPROVAL : REFUSALS[reason];
}

function because({ policies: [policy], budgets = [], limits = [], approval_id: approval }: Decision): string {
  if (approval !== undefined) return `: ask for approval ${approval}`;
  if (limits.length > 0) return `: ${limits.map(({ name }) => name).join(', ')}`;
  if (budgets.length > 0) return `: ${budgets.map(({ name }) => name).join(', ')}`;
  return policy ? `: ${policy.name}` : '';
}
