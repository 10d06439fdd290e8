import type { Severity } from '#core';

export type { Severity } from '#core';

/** What a policy does with a request that matches it. */
export type PolicyAction = 'allow' | 'block' | 'alert' | 'require_approval';

/**
 * Rank of each action. If several policies match, the action with the lowest number is used. The order of the policies
 * does not matter.
 */
export const ACTION_PRECEDENCE = {
  block: 0,
  require_approval: 1,
  alert: 2,
  allow: 3,
} as const satisfies Record<PolicyAction, number>;

/** All actions, in order of precedence. */
export const POLICY_ACTIONS: readonly PolicyAction[] = ['block', 'require_approval', 'alert', 'allow'];

/** Actions whose matches are violations, with their default severities. */
export const VIOLATION_SEVERITY: Readonly<Partial<Record<PolicyAction, Severity>>> = { block: 'high', alert: 'medium' };
