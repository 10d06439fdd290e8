import type { PolicyAction } from '../decide/index.js';
import type { DecisionReason, ShownBudget, ShownCondition, ShownReservation } from '../records/decision.js';
import type { PolicyAuthor, PolicyChange } from '../policies/policy-version.js';
import type { PolicyContent } from '../policies/policy-rules.js';

/** The kinds of reasons that determine a decision. */
export const DECIDED_BY = ['policy', 'default_action', 'person', 'approval', 'budget', 'limit', 'token'] as const;

/** The kind of reason that determined a decision. */
export type DecidedBy = (typeof DECIDED_BY)[number];

/** Why a policy in force did not match. */
export const NOT_MATCHED_BECAUSE = ['model', 'condition', 'not_evaluable', 'not_recorded'] as const;

/** Why a policy in force did not match. */
export type NotMatchedBecause = (typeof NOT_MATCHED_BECAUSE)[number];

/** How a policy has changed since the decision. */
export const POLICY_SINCE = ['unchanged', 'changed', 'deleted', 'unknown'] as const;

/** How a policy has changed since the decision. */
export type PolicySince = (typeof POLICY_SINCE)[number];

/** The person, with the attributes that the decision used. */
export interface ExplainedPerson {
  readonly user_id: string | null;
  readonly email: string | null;
  readonly name: string | null;
  readonly department: string | null;
  readonly role: string | null;
  /** Status of the person; null if the directory did not know the person. */
  readonly status: string | null;
  /** Custom attributes of the organization, and additional attributes of the request. */
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** The device that a request named. */
export interface ExplainedDevice {
  readonly id: string;
  readonly status: string;
}

/** A condition, and the value to which it was compared. */
export interface ExplainedCondition extends ShownCondition {
  readonly held: boolean;
}

/** A policy that matched, in the version that decided. */
export interface ExplainedPolicy {
  readonly id: string;
  readonly name: string;
  readonly action: PolicyAction;
  readonly version: number;
  /** Content of the version; null if the history does not contain the version. */
  readonly content: PolicyContent | null;
  readonly conditions: readonly ExplainedCondition[];
  /** The kind of change that created this version; null if the history does not contain it. */
  readonly change: PolicyChange | null;
  readonly changed_at: string | null;
  readonly changed_by: PolicyAuthor | null;
}

/** A policy that was in force and did not match. */
export interface UnmatchedPolicy {
  readonly id: string;
  readonly name: string;
  readonly action: PolicyAction;
  readonly version: number;
  readonly because: NotMatchedBecause;
  /** The reason as a sentence. */
  readonly message: string;
  /** The first condition that did not match. */
  readonly condition?: ShownCondition;
}

/** The decision as it was made. It never changes. */
export interface ExplainedDecision {
  readonly evaluated_at: string;
  readonly provider: string;
  readonly model: string;
  readonly action: PolicyAction;
  readonly allowed: boolean;
  readonly reason: DecisionReason;
  readonly decided_by: DecidedBy;
  /** The policy that determined the action; null if no policy did. */
  readonly winner: { readonly id: string; readonly version: number } | null;
  readonly person: ExplainedPerson;
  /** The device; null if the request contained none. */
  readonly device: ExplainedDevice | null;
  /** The first 100 policies that matched. The policy that determined the action comes first. */
  readonly policies: readonly ExplainedPolicy[];
  readonly policies_total: number;
  /**
   * The first 100 policies in force that did not match. Null if no policy was evaluated, or if the decision is older
   * than the history.
   */
  readonly not_matched: { readonly total: number; readonly items: readonly UnmatchedPolicy[] } | null;
  readonly approval_id?: string;
  readonly reservation?: ShownReservation;
  readonly budgets?: readonly ShownBudget[];
}

/** The current state of a policy that matched. */
export interface PolicyNow {
  readonly id: string;
  readonly status: PolicySince;
  /** The newest version of the policy in its history. */
  readonly version: number | null;
  /** Whether the policy is in force now. */
  readonly in_force: boolean;
  readonly changed_at: string | null;
  readonly changed_by: PolicyAuthor | null;
}

/** The person in the directory now. */
export interface PersonNow extends ExplainedPerson {
  /**
   * Attributes that differ from the record, such as `department` or `attributes.level`. Includes attributes that the
   * directory no longer has. Attributes that only the request contained are listed too, because the record does not
   * distinguish them.
   */
  readonly changed: readonly string[];
}

/** The changes since the decision, up to the time of this call. */
export interface ChangedSince<Approval> {
  readonly policies: readonly PolicyNow[];
  /** The person now; null if the directory does not know the person. */
  readonly person: PersonNow | null;
  /** The approvals that the decision required or used, with their current status. */
  readonly approvals: readonly Approval[];
}

/** The explanation of a decision. */
export interface Explanation<Approval = unknown> {
  readonly decision_id: string;
  /** The explanation in one sentence. */
  readonly summary: string;
  /** False if the decision is older than the history. The explanation is then incomplete. */
  readonly complete: boolean;
  readonly as_it_was: ExplainedDecision;
  readonly since: ChangedSince<Approval>;
}
