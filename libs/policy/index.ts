// Policies and decisions.
export * from './decide/index.js';
export { CONDITION_OPERATORS, POLICY_OPTIONS, POLICY_RULES, type PolicyOptions } from './policy.options.js';
export { PolicyModule } from './policy.module.js';

// Manage policies
export { PolicyListService } from './policies/policy-list.service.js';
export { PolicyService } from './policies/policy.service.js';
export { Policy, type DeletedPolicy } from './policies/policy.entity.js';
export {
  POLICY_DESCRIPTION_MAX,
  POLICY_NAME_MAX,
  SEVERITIES,
  type PolicyContent,
  type PolicyDraft,
} from './policies/policy-rules.js';
export { POLICIES_MAX, PolicyNotFoundError, TooManyPoliciesError } from './policies/policy.errors.js';
export { POLICIES_TOPIC } from './policy.topic.js';

// Read the history of policies
export { PolicyHistory, type PolicyDifference } from './history/policy-history.service.js';
export {
  POLICY_CHANGES,
  type PolicyAuthor,
  type PolicyChange,
  type PolicyVersion,
  type PolicyVersionEntry,
} from './policies/policy-version.js';
export type { JsonDifference } from './history/policy-diff.js';
export { PolicyVersionNotFoundError } from './policies/policy.errors.js';

// Decide about requests for approval
export { APPROVAL_OPTIONS, APPROVAL_RULES, type ApprovalOptions } from './approvals/approval.options.js';
export { APPROVAL_STATUSES, type ApprovalStatus } from './approvals/approval-status.js';
export { Approval, type ApprovalDecider } from './approvals/approval.entity.js';
export { ApprovalListService, type ApprovalListQuery } from './approvals/approval-list.service.js';
export { ApprovalService, type Grounds, type ShowApproval } from './approvals/approval.service.js';
export {
  ApprovalDecidedError,
  ApprovalNotFoundError,
  NoGrantError,
  OwnApprovalError,
  PersonRequiredError,
} from './approvals/approval.errors.js';

// Test policies before they are in force
export {
  PolicySimulator,
  SIMULATION_DAYS,
  type SimulationControl,
  type SimulationProgress,
  type SimulationRequest,
} from './simulation/policy-simulator.js';
export type { PolicyProposal } from './simulation/policy-proposals.js';
export type { ComparedOutcome, Outcome } from './simulation/comparison.js';
export type { SampledDecision, SampledOutcome } from './simulation/sampled-decision.js';
export type { SimulationReport, UsageReport } from './simulation/simulation-report.js';
export type { OtherKeys, Tally, TopKeys } from './simulation/keyed-counter.js';
export { SimulationUnderWayError } from './simulation/simulation-slots.js';

// Request decisions
export { boundInput, callerOf, type DecisionCaller } from './decisions/decision-caller.js';
export { DecisionService, type DecideOptions } from './decisions/decision.service.js';
export { ReleaseService, type ReleasedSpend } from './decisions/release.service.js';
export { DECISION_LIMITS, parseDecision, parseDecisionBatch } from './decisions/parse-decision.js';
export {
  DECISION_REASONS,
  type Decision,
  type DecisionInput,
  type DecisionReason,
  type MatchedPolicy,
  type ShownBudget,
  type ShownCondition,
  type ShownReservation,
} from './records/decision.js';
export { IdempotencyKeyReusedError } from './records/repeated-decisions.js';

// Read recorded decisions
export {
  DecisionLog,
  DecisionNotFoundError,
  type DecisionListQuery,
  type KeyedDecision,
  type RecordedDecision,
} from './records/decision-log.js';

// Explain decisions
export { DecisionExplainer } from './explain/decision-explainer.js';
export {
  DECIDED_BY,
  NOT_MATCHED_BECAUSE,
  POLICY_SINCE,
  type ChangedSince,
  type DecidedBy,
  type ExplainedCondition,
  type ExplainedDecision,
  type ExplainedPerson,
  type ExplainedPolicy,
  type Explanation,
  type NotMatchedBecause,
  type PersonNow,
  type PolicyNow,
  type PolicySince,
  type UnmatchedPolicy,
} from './explain/explanation.js';
