import type { JsonObject } from '#core';
import type { Occurrence } from '#incidents';
import type { PolicyViolation } from '../decide/index.js';
import type { Decision, DecisionInput } from '../records/decision.js';
import type { Judgement } from './judge.js';
import type { OccurrenceList } from '../records/occurrence-list.js';

const NONE: OccurrenceList = [];

/**
 * The violations of a decision: one occurrence per matching `alert` or `block` policy. A batch may have hundreds of
 * thousands of them. They are created one by one when they are needed, to save memory and to keep the event loop free.
 */
export function violationsOf(input: DecisionInput, judgement: Judgement, decision: Decision): OccurrenceList {
  const { violations } = judgement;
  if (violations.length === 0) return NONE;
  return {
    length: violations.length,
    slice: (start, end) =>
      violations.slice(start, end).map(violation => occurrenceOf(violation, input, judgement, decision)),
  };
}

/** One violation. It emits a separate event, whose `alert_id` is the incident that counts the violation. */
function occurrenceOf(
  violation: PolicyViolation,
  { provider, model, device_id }: DecisionInput,
  { subject, deviceStatus, snapshot }: Judgement,
  decision: Decision,
): Occurrence {
  const { policy, severity } = violation;
  const about: JsonObject = {
    policy_name: policy.name,
    policy_version: policy.version,
    policy_action: policy.action,
    action: decision.action,
    user_email: subject.email ?? null,
    user_name: subject.name ?? null,
    department: subject.department ?? null,
    matched_conditions: snapshot.presenter.told(violation),
    ...(device_id === undefined ? {} : { device_id, device_status: deviceStatus ?? null }),
  };
  const userId = subject.id ?? subject.email ?? '';
  const named = { policy_id: policy.id, provider, model };
  return {
    type: 'policy_violation',
    severity,
    userId,
    userEmail: subject.email ?? null,
    policyId: policy.id,
    provider,
    model,
    details: about,
    at: new Date(decision.evaluated_at),
    decisionId: decision.id,
    action: decision.action,
    event: incidentId => ({
      type: 'policy_violation',
      data: {
        alert_id: incidentId,
        severity,
        user_id: userId,
        ...named,
        details: { ...about, decision_id: decision.id },
      },
    }),
  };
}
