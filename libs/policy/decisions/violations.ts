import { newId, type JsonObject } from '#core';
import type { NewEvent } from '#outbox';
import type { PolicyViolation } from '../decide/index.js';
import type { Decision, DecisionInput } from './decision.js';
import type { Judgement } from './judge.js';
import { presentMatches } from './present-matches.js';

const NONE: readonly NewEvent[] = [];

/** What is told of a decision: one `policy_violation` for every `alert` and `block` policy that matched. */
export function violationEvents(input: DecisionInput, judgement: Judgement, decision: Decision): readonly NewEvent[] {
  const { violations } = judgement;
  return violations.length === 0 ? NONE : violations.map(violation => eventOf(violation, input, judgement, decision));
}

function eventOf(
  violation: PolicyViolation,
  { provider, model, device_id }: DecisionInput,
  { subject }: Judgement,
  decision: Decision,
): NewEvent<'policy_violation'> {
  const { policy, severity } = violation;
  const [shown] = presentMatches([violation]);
  const details: JsonObject = {
    policy_name: policy.name,
    policy_version: policy.version,
    policy_action: policy.action,
    action: decision.action,
    decision_id: decision.id,
    user_email: subject.email ?? null,
    user_name: subject.name ?? null,
    department: subject.department ?? null,
    matched_conditions: JSON.parse(JSON.stringify(shown?.matched_conditions ?? [])) as JsonObject[string],
    ...(device_id === undefined ? {} : { device_id }),
  };
  return {
    type: 'policy_violation',
    data: {
      alert_id: newId(new Date(decision.evaluated_at)),
      severity,
      user_id: subject.id ?? subject.email ?? '',
      policy_id: policy.id,
      provider,
      model,
      details,
    },
  };
}
