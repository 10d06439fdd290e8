import { granteeOf } from '../decide/grants.js';
import type { PoliciesWeight } from '../decide/policy-weight.js';
import type { Decision, DecisionInput } from '../records/decision.js';
import type { DecisionRow } from '../records/decision-row.js';
import type { NotedDecision } from '../records/recent-decisions.js';
import { weightOf } from '../records/record-weight.js';
import type { RecordEntry } from '../records/record-writer.js';
import type { DecisionCaller } from './decision-caller.js';
import type { Judgement } from './judge.js';
import { violationsOf } from './violations.js';

/** A decision to record, with its inputs. */
export interface MadeDecision {
  readonly input: DecisionInput;
  readonly caller: DecisionCaller;
  readonly judgement: Judgement;
  readonly decision: Decision;
  /** Estimated size of the policies in the decision. */
  readonly policiesWeight: PoliciesWeight;
}

/**
 * Whether a decision must be written before the response. It must if it has an idempotency key or violations, or waits
 * for an approval.
 */
export function isAwaited({ input, judgement }: MadeDecision): boolean {
  const isTold = judgement.violations.length > 0 || judgement.approvalPolicy !== undefined;
  return isTold || input.idempotency_key !== undefined;
}

/**
 * The record to write for a decision.
 * @param rate the share of decisions of this kind that is recorded
 */
export function entryOf({ input, caller, judgement, decision, policiesWeight }: MadeDecision, rate = 1): RecordEntry {
  const row = { ...rowOf(input, judgement, decision, rate), token_id: caller.tokenId };
  const violations = violationsOf(input, judgement, decision);
  return { row, violations, weight: weightOf(row, violations.length, policiesWeight) };
}

/** The person and dimensions to which usage of the decision is attributed. */
export function notedOf({ input, caller, judgement: { subject } }: MadeDecision): NotedDecision {
  return {
    userId: subject.id?.toLowerCase() ?? null,
    department: typeof subject.department === 'string' ? subject.department : null,
    project: input.project,
    tags: input.tags,
    tokenId: caller.tokenId ?? null,
  };
}

/** The row of a decision. If it has an idempotency key, the row also contains the request. */
export function rowOf(input: DecisionInput, judgement: Judgement, decision: Decision, rate = 1): DecisionRow {
  const { subject, deviceStatus, approvalPolicy, snapshot } = judgement;
  return {
    id: decision.id,
    occurred_at: decision.evaluated_at,
    user_id: subject.id?.toLowerCase(),
    user_email: subject.email ?? undefined,
    provider: input.provider,
    model: input.model,
    action: decision.action,
    allowed: decision.allowed,
    reason: decision.reason,
    policies: decision.policies,
    attributes: {
      // Conditions compare ids case-sensitively, but the column does not preserve case. The original id is therefore
      // stored as an attribute if it differs.
      ...(subject.id !== subject.id?.toLowerCase() && { user_id: subject.id }),
      name: subject.name,
      department: subject.department,
      role: subject.role,
      status: subject.status,
      attributes: subject.attributes,
      ...(input.project && { project: input.project }),
      ...(input.tags && { tags: input.tags }),
      ...(deviceStatus && { device_id: input.device_id, device_status: deviceStatus }),
    },
    spend: spendOf(decision),
    idempotency_key: input.idempotency_key,
    request: input.idempotency_key === undefined ? undefined : input,
    policy_revision: snapshot.revision,
    sample_rate: rate,
    requiredApproval: approvalPolicy && {
      policyId: approvalPolicy.id,
      policyName: approvalPolicy.name,
      userId: granteeOf(subject),
    },
  };
}

function spendOf({ reservation, budgets, limits, retry_after_ms }: Decision): DecisionRow['spend'] {
  if (limits) return { limits, ...(retry_after_ms !== undefined && { retry_after_ms }) };
  if (!reservation && !budgets) return undefined;
  return { ...(reservation && { reservation }), ...(budgets && { budgets }) };
}
