import type { ServiceTier, Tags } from '#core';
import type { PolicyAction } from '../decide/index.js';
import type { MatchedPolicy } from '../decide/policy-presenter.js';

export type { MatchedPolicy, ShownCondition } from '../decide/policy-presenter.js';

/** A decision request in the form of the HTTP body; hosts may pass the same object. */
export interface DecisionInput {
  /** The person. Set one of both. If the id is set, the address is ignored. */
  readonly user_id?: string;
  readonly user_email?: string;
  readonly model: string;
  readonly provider: string;
  readonly device_id?: string;
  /** The organization's own attributes, from the caller. The directory's value of the same key overrides them. */
  readonly attributes?: Readonly<Record<string, string | number | boolean | null>>;
  /** The project of the request. Used by conditions on `project`, and by budgets and limits. */
  readonly project?: string | null;
  /** Up to 8 labels. Used by conditions on `tags.<key>`, and by budgets and limits. */
  readonly tags?: Tags | null;
  readonly estimated_input_tokens?: number;
  readonly max_output_tokens?: number;
  /** Tier and region that the request asks for. They determine the price that is reserved. */
  readonly service_tier?: ServiceTier;
  readonly region?: string;
  /** Repeated requests with the same key get the same decision. */
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

/** The amount that is reserved for a decision until its usage is reported under the decision's id. */
export interface ShownReservation {
  /** The decision's id. */
  readonly id: string;
  /** Upper estimate of the cost of the request, in US dollars. */
  readonly amount_usd: number;
  /** When the reservation expires, unless usage is reported or it is released before. */
  readonly expires_at: string;
}

/** A budget that the request would exceed. */
export interface ShownBudget {
  readonly id: string;
  readonly name: string;
}

/** A limit of requests or tokens that the request would exceed. */
export interface ShownLimit {
  readonly id: string;
  readonly name: string;
}

/** A decision, as the API answers it. Do not mutate it: its record is written from the same object. */
export interface Decision {
  readonly id: string;
  readonly action: PolicyAction;
  /** True for `allow` and `alert`. */
  readonly allowed: boolean;
  readonly reason: DecisionReason;
  /** Every matching policy. The first one determines the action. Empty if the person's status decided. */
  readonly policies: readonly MatchedPolicy[];
  /** Only if a required approval is missing: the approval to decide. */
  readonly approval_id?: string;
  /** Only if a blocking budget applies and allows the request. */
  readonly reservation?: ShownReservation;
  /** Only with the reason `budget_exceeded`: the exhausted budgets. */
  readonly budgets?: readonly ShownBudget[];
  /** Only with the reason `rate_limited`: the exhausted limits. */
  readonly limits?: readonly ShownLimit[];
  /** Only with the reason `rate_limited`: wait this many milliseconds before a retry. */
  readonly retry_after_ms?: number;
  readonly evaluated_at: string;
}
