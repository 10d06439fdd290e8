import type { PolicyAction } from './decide/index.js';

/** How decisions treat what no policy and no directory settles. */
export interface PolicyOptions {
  /** Action when no policy matches. Default: `allow`. */
  defaultAction?: PolicyAction;
  /** A person the directory does not know: `block`, or `evaluate` the policies on what the request says. Default: `block`. */
  unknownUser?: 'block' | 'evaluate';
}

/** Injection token of {@link PolicyOptions}. */
export const POLICY_OPTIONS = Symbol('governance.policy-options');

/** Injection token of the host's own condition operators, a list. */
export const CONDITION_OPERATORS = Symbol('governance.condition-operators');
