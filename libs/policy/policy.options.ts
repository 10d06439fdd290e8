import { option } from '#core';
import { POLICY_ACTIONS, type PolicyAction } from './decide/index.js';

/** Defaults of decisions if no policy matches or the user is unknown, and which decisions are recorded. */
export interface PolicyOptions {
  /** Action if no policy matches. Default: `allow`. */
  defaultAction?: PolicyAction;
  /**
   * How requests of unknown users are handled. `block`: they are blocked. `evaluate`: the policies are evaluated with
   * the data of the request. Default: `block`.
   */
  unknownUser?: 'block' | 'evaluate';
  /** Days for which decision records and their idempotency keys are kept. 1 to 3,650. Default: 90. */
  retentionDays?: number;
  /**
   * Share of allowed decisions that is recorded, from 0 to 1. It applies only to decisions without a reservation, a
   * grant and an idempotency key. All other decisions are recorded. Default: 1.
   */
  sampleAllowed?: number;
}

/** Validation rules of the options. */
export const POLICY_RULES = {
  defaultAction: option.choice(POLICY_ACTIONS),
  unknownUser: option.choice(['block', 'evaluate']),
  retentionDays: option.whole(1, 3_650),
  sampleAllowed: option.share(),
} satisfies option.RulesOf<PolicyOptions>;

/** Injection token of {@link PolicyOptions}. */
export const POLICY_OPTIONS = Symbol('governance.policy-options');

/** Injection token of the list of condition operators that the host adds. */
export const CONDITION_OPERATORS = Symbol('governance.condition-operators');
