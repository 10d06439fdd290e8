import type { Tags } from '#core';
import type { PolicyAction } from '../decide/index.js';
import type { MatchedPolicy } from '../decide/policy-presenter.js';

export type { MatchedPolicy, ShownCondition } from '../decide/policy-presenter.js';

/** What a decision is asked about, as it comes over HTTP; hosts may pass the same. */
export interface DecisionInput {
  /** The person. One of both must be given; beside the id, the address is not looked at, even if it is another's. */
  readonly user_id?: string;
  readonly user_email?: string;
  readonly model: string;
  readonly provider: string;
  readonly device_id?: string;
  /** What the caller says of the organization's own attributes. What the directory says of the same key wins. */
  readonly attributes?: Readonly<Record<string, string | number | boolean | null>>;
  /** What the request is for; for conditions on `project`, and for budgets and limits. */
  readonly project?: string | null;
  /** Up to 8 labels, for conditions on `tags.<key>`, and for budgets and limits. */
  readonly tags?: Tags | null;
  readonly estimated_input_tokens?: number;
  readonly max_output_tokens?: number;
  /** Asks for one decision, however often it is asked for. */
  readonly idempotency_key?: string;
}

/** Why a decision came out as it did. */
export const DECISION_REASONS = [
  'no_policy_matched',
  'policy',
  'user_suspended',
  'user_inactive',
  'unknown_user',
  'budget_exceeded',
  'rate_limited',
  'model_not_allowed',
  'approval_granted',
] as const;

/** Why a decision came out as it did. */
export type DecisionReason = (typeof DECISION_REASONS)[number];

/** Money that is held for a decision until its usage is reported under the decision's id. */
export interface ShownReservation {
  /** The decision's id. */
  readonly id: string;
  /** The most that the request is expected to cost, in US dollars. */
  readonly amount_usd: number;
  /** When it is given back, unless usage was reported or it was released before. */
  readonly expires_at: string;
}

/** A budget that had no room for the request. */
export interface ShownBudget {
  readonly id: string;
  readonly name: string;
}

/** A limit of requests or tokens that had no room for the request. */
export interface ShownLimit {
  readonly id: string;
  readonly name: string;
}

/** A decision, as the API answers it. Do not change it: its record is written from the same object. */
export interface Decision {
  readonly id: string;
  readonly action: PolicyAction;
  /** True for `allow` and `alert`. */
  readonly allowed: boolean;
  readonly reason: DecisionReason;
  /** Every matching policy, the one that gave the action first. Empty where the person's status decided. */
  readonly policies: readonly MatchedPolicy[];
  /** Only where a policy wants an approval that nobody has granted: the one to be decided. */
  readonly approval_id?: string;
  /** Only where a blocking budget guards the request and has room for it. */
  readonly reservation?: ShownReservation;
  /** Only with the reason `budget_exceeded`: the budgets without room. */
  readonly budgets?: readonly ShownBudget[];
  /** Only with the reason `rate_limited`: the limits without room. */
  readonly limits?: readonly ShownLimit[];
  /** Only with the reason `rate_limited`: after how many milliseconds there may be room. */
  readonly retry_after_ms?: number;
  readonly evaluated_at: string;
}
