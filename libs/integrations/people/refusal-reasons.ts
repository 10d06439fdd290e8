import type { Decision, DecisionReason } from '#policy';

const POLICY = 'A policy blocks this request';

const SENTENCES = {
  policy: POLICY,
  no_policy_matched: POLICY,
  approval_granted: POLICY,
  user_suspended: 'This person is suspended',
  user_inactive: 'This person is inactive',
  unknown_user: 'This person is unknown',
  budget_exceeded: 'A budget has no room for this request',
  rate_limited: 'A limit has no room for this request at present',
  model_not_allowed: 'The access token is not for this model',
} satisfies Record<DecisionReason, string>;

/** The reason of a refusal, for the person. It contains no names of policies and budgets. */
export function reasonForUser(decision: Decision): string {
  if (decision.action === 'require_approval') return `This request needs an approval${approvalOf(decision)}.`;
  return `${SENTENCES[decision.reason]}.`;
}

/** The reason of a refusal, for administrators. It contains the names of policies and budgets. */
export function reasonForAdmin(decision: Decision): string {
  const names = (decision.budgets ?? decision.policies.slice(0, 1)).map(({ name }) => name);
  const because = names.length > 0 ? ` (${names.join(', ')})` : '';
  return reasonForUser(decision).replace(/\.$/, `${because}; decision ${decision.id}.`);
}

function approvalOf({ approval_id: id }: Decision): string {
  return id === undefined ? '' : ` (${id})`;
}
