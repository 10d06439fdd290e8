import { examine, type DecisionSubject, type OperatorRegistry } from '../decide/index.js';
import type { MatchedPolicy, ShownCondition } from '../records/decision.js';
import type { RecordedDecision } from '../records/decision-log.js';
import { withoutLongOperand } from '../decide/policy-presenter.js';
import type { NewestEntry } from '../history/policies-in-force.js';
import type { PolicyVersion } from '../policies/policy-version.js';
import { requestThen } from './explained-person.js';
import type { ExplainedPolicy, PolicyNow, UnmatchedPolicy } from './explanation.js';
import { conditionInWords, valueInWords } from './in-words.js';

/** A policy that matched. Combines the record with the version in the history. */
export function explainMatch(recorded: MatchedPolicy, found: PolicyVersion | undefined): ExplainedPolicy {
  const { id, name, action, version, matched_conditions: seen } = recorded;
  const change = found && { change: found.change, changed_at: found.changedAt.toISOString() };
  return {
    id,
    name,
    action,
    version,
    content: found?.content ?? null,
    conditions: (found ? allOf(found, seen) : seen).map(condition => Object.assign({}, condition, { held: true })),
    ...(change ?? { change: null, changed_at: null }),
    changed_by: found?.changedBy ?? null,
  };
}

/** Every condition of a version, with its complete operand and the recorded value of its attribute. */
function allOf({ content }: PolicyVersion, seen: readonly ShownCondition[]): ShownCondition[] {
  return Object.entries(content.conditions).flatMap(([attribute, tests]) => {
    const value = seen.find(condition => condition.attribute === attribute)?.value ?? null;
    return Object.entries(tests).map(([operator, operand]) => ({ attribute, operator, operand, value }));
  });
}

/** A policy that was in force but did not match, with the reason. */
export function explainMiss(
  { policyId, version, content }: PolicyVersion,
  subject: DecisionSubject,
  record: Pick<RecordedDecision, 'model' | 'provider' | 'attributes'>,
  operators: OperatorRegistry,
): UnmatchedPolicy {
  const named = { id: policyId, name: content.name, action: content.action, version };
  const { model } = record;
  const request = requestThen(record);
  const { fitsModel, conditions } = examine(content, subject, request, operators);
  if (!fitsModel) return { ...named, because: 'model', message: `It is for ${content.model}, not for ${model}.` };
  const failed = conditions.find(({ held }) => held === false);
  const unknown = conditions.find(({ held }) => held === undefined);
  const decisive = failed ?? unknown;
  if (!decisive) return { ...named, because: 'not_recorded', message: NOT_RECORDED };
  const { attribute, operator, operand, value } = decisive;
  const condition = withoutLongOperand({ attribute, operator, operand, value });
  if (!failed) return { ...named, because: 'not_evaluable', message: NOT_EVALUABLE, condition };
  const message = `It requires that ${conditionInWords(decisive)}; it was ${valueInWords(value)}.`;
  return { ...named, because: 'condition', message, condition };
}

const NOT_EVALUABLE =
  'The condition cannot be evaluated: its operator is no longer installed, or does not accept this operand.';

const NOT_RECORDED =
  'It would match now, but did not match then: an operator of its conditions was missing, or has changed since.';

/** The current state of a policy that matched. */
export function explainNow({ id, version }: MatchedPolicy, newest: NewestEntry | undefined): PolicyNow {
  if (!newest) return { id, status: 'unknown', version: null, in_force: false, changed_at: null, changed_by: null };
  const isDeleted = newest.change === 'deleted';
  const status = newest.version === version ? 'unchanged' : 'changed';
  return {
    id,
    status: isDeleted ? 'deleted' : status,
    version: newest.version,
    in_force: !isDeleted && newest.enabled,
    changed_at: newest.changedAt.toISOString(),
    changed_by: newest.changedBy,
  };
}
