import { option } from '#core';
import { POLICY_ACTIONS, type PolicyAction } from './decide/index.js';

/** How decisions treat what no policy and no directory settles, and what of them is recorded. */
export interface PolicyOptions {
  /** Action when no policy matches. Default: `allow`. */
  defaultAction?: PolicyAction;
  /** A person the directory does not know: `block`, or `evaluate` the policies on what the request says. Default: `block`. */
  unknownUser?: 'block' | 'evaluate';
  /** Days for which records of decisions are kept, and idempotency keys with them. 1 to 3,650. Default: 90. */
  retentionDays?: number;
  /**
   * Share of the records of allowed decisions that are kept, from 0 to 1: of those that hold nothing of a budget, need no
   * grant and have no idempotency key. Every other decision is recorded. Default: 1.
   */
  sampleAllowed?: number;
}

/** What the options may be. */
export const POLICY_RULES = {
  defaultAction: option.choice(POLICY_ACTIONS),
  unknownUser: option.choice(['block', 'evaluate']),
  retentionDays: option.whole(1, 3_650),
  sampleAllowed: option.share(),
} satisfies option.RulesOf<PolicyOptions>;

/** Injection token of {@link PolicyOptions}. */
export const POLICY_OPTIONS = Symbol('governance.policy-options');

/** Injection token of the host's own condition operators, a list. */
export const CONDITION_OPERATORS = Symbol('governance.condition-operators');
