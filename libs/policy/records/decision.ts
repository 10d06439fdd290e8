import type { ServiceTier, Tags } from '#core';
import type { PolicyAction } from '../decide/index.js';
import type { MatchedPolicy } from '../decide/policy-presenter.js';

export type { MatchedPolicy, ShownCondition } from '../decide/policy-presenter.js';

/** A decision request in the form of the HTTP body. Hosts may pass the same object. */
export interface DecisionInput {
  /** The person. Set `user_id` or `user_email`. If the id is set, the address is ignored. */
  readonly user_id?: string;
  readonly user_email?: string;
  readonly model: string;
  readonly provider: string;
  readonly device_id?: string;
  /**
   * Custom attributes of the organization, as sent by the caller. If the directory has a value for the same key, it
   * overrides this value.
   */
  readonly attributes?: Readonly<Record<string, string | number | boolean | null>>;
  /** The project of the request. Used by conditions on `project`, and by budgets and limits. */
  readonly project?: string | null;
  /** Up to 8 labels. Used by conditions on `tags.<key>`, and by budgets and limits. */
  readonly tags?: Tags | null;
  readonly estimated_input_tokens?: number;
  readonly max_output_tokens?: number;
  /** Tier and region that the request asks for. They determine the price and so the reserved amount. */
  readonly service_tier?: ServiceTier;
  readonly region?: string;
  /** Repeated requests with the same key get the same decision. */
  readonly idempotency_key?: string;
}

/** The reasons of decisions. */
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

/** The amount that is reserved for a decision until its usage is reported with the decision's id. */
export interface ShownReservation {
  /** The decision's id. */
  readonly id: string;
  /** Upper estimate of the cost of the request, in US dollars. */
  readonly amount_usd: number;
  /** When the reservation expires, unless usage is reported or the reservation is released earlier. */
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

/** A decision, as in responses of the API. Do not change it: its record is written from the same object. */
export interface Decision {
  readonly id: string;
  readonly action: PolicyAction;
  /** True for `allow` and `alert`. */
  readonly allowed: boolean;
  readonly reason: DecisionReason;
  /**
   * Every policy that matched. The first one determines the action. Empty if the status of the person determined the
   * decision.
   */
  readonly policies: readonly MatchedPolicy[];
  /** The approval to decide about. Set only if a required approval is missing. */
  readonly approval_id?: string;
  /** Set only if a blocking budget applies and allows the request. */
  readonly reservation?: ShownReservation;
  /** The exhausted budgets. Set only with the reason `budget_exceeded`. */
  readonly budgets?: readonly ShownBudget[];
  /** The exhausted limits. Set only with the reason `rate_limited`. */
  readonly limits?: readonly ShownLimit[];
  /** Milliseconds to wait before a retry. Set only with the reason `rate_limited`. */
  readonly retry_after_ms?: number;
  readonly evaluated_at: string;
}
