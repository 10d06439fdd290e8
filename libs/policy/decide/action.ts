import type { Severity } from '#core';

export type { Severity } from '#core';

/** The effect of a policy on a request that it matches. */
export type PolicyAction = 'allow' | 'block' | 'alert' | 'require_approval';

/**
 * Rank of each action. If several policies match, the action with the smaller number wins, whatever the order of the
 * policies.
 */
export const ACTION_PRECEDENCE = {
  block: 0,
  require_approval: 1,
  alert: 2,
  allow: 3,
} as const satisfies Record<PolicyAction, number>;

/** All actions, the winning ones first. */
export const POLICY_ACTIONS: readonly PolicyAction[] = ['block', 'require_approval', 'alert', 'allow'];

/** Actions whose match is a violation, with the default severity. */
export const VIOLATION_SEVERITY: Readonly<Partial<Record<PolicyAction, Severity>>> = { block: 'high', alert: 'medium' };
