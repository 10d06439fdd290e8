import type { PolicyAction } from '../decide/index.js';
import type { DecisionReason, ShownBudget, ShownCondition, ShownReservation } from '../records/decision.js';
import type { PolicyAuthor, PolicyChange } from '../policies/policy-version.js';
import type { PolicyContent } from '../policies/policy-rules.js';

/** What settled a decision. */
export const DECIDED_BY = ['policy', 'default_action', 'person', 'approval', 'budget', 'limit', 'token'] as const;

/** What settled a decision. */
export type DecidedBy = (typeof DECIDED_BY)[number];

/** Why a policy in force did not match. */
export const NOT_MATCHED_BECAUSE = ['model', 'condition', 'not_evaluable', 'not_recorded'] as const;

/** Why a policy in force did not match. */
export type NotMatchedBecause = (typeof NOT_MATCHED_BECAUSE)[number];

/** What has become of a policy since. */
export const POLICY_SINCE = ['unchanged', 'changed', 'deleted', 'unknown'] as const;

/** What has become of a policy since. */
export type PolicySince = (typeof POLICY_SINCE)[number];

/** Who asked, as it was decided by. */
export interface ExplainedPerson {
  readonly user_id: string | null;
  readonly email: string | null;
  readonly name: string | null;
  readonly department: string | null;
  readonly role: string | null;
  /** Null for somebody whom the directory did not know. */
  readonly status: string | null;
  /** The organization's own, and what the request said of others. */
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** The device that a request named. */
export interface ExplainedDevice {
  readonly id: string;
  readonly status: string;
}

/** A condition, and what it was asked about. */
export interface ExplainedCondition extends ShownCondition {
  readonly held: boolean;
}

/** A policy that matched, as it was then. */
export interface ExplainedPolicy {
  readonly id: string;
  readonly name: string;
  readonly action: PolicyAction;
  readonly version: number;
  /** Null where the history does not have the version. */
  readonly content: PolicyContent | null;
  readonly conditions: readonly ExplainedCondition[];
  /** How this version came to be; null where the history does not have it. */
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
  /** The same in words. */
  readonly message: string;
  /** The first condition that did not hold. */
  readonly condition?: ShownCondition;
}

/** The decision as it was; says the same whenever it is asked. */
export interface ExplainedDecision {
  readonly evaluated_at: string;
  readonly provider: string;
  readonly model: string;
  readonly action: PolicyAction;
  readonly allowed: boolean;
  readonly reason: DecisionReason;
  readonly decided_by: DecidedBy;
  /** The policy that gave the action, where one did. */
  readonly winner: { readonly id: string; readonly version: number } | null;
  readonly person: ExplainedPerson;
  /** Null where the request named none. */
  readonly device: ExplainedDevice | null;
  /** The first 100 policies that matched, the winner first. */
  readonly policies: readonly ExplainedPolicy[];
  readonly policies_total: number;
  /** The first 100 policies in force that did not; null where no policy was asked, or where it is not known. */
  readonly not_matched: { readonly total: number; readonly items: readonly UnmatchedPolicy[] } | null;
  readonly approval_id?: string;
  readonly reservation?: ShownReservation;
  readonly budgets?: readonly ShownBudget[];
}

/** What is there now of a policy that matched. */
export interface PolicyNow {
  readonly id: string;
  readonly status: PolicySince;
  /** Of its history's newest entry. */
  readonly version: number | null;
  /** Whether it is in force now. */
  readonly in_force: boolean;
  readonly changed_at: string | null;
  readonly changed_by: PolicyAuthor | null;
}

/** The person as the directory knows them now. */
export interface PersonNow extends ExplainedPerson {
  /**
   * What differs from then, such as `department` or `attributes.level`; also what the directory has no more. The record
   * does not say which attributes a request had claimed: those count as well.
   */
  readonly changed: readonly string[];
}

/** What has changed since; says what is so when it is asked. */
export interface ChangedSince<Approval> {
  readonly policies: readonly PolicyNow[];
  /** Null where the directory does not know the person. */
  readonly person: PersonNow | null;
  /** The approvals that it waited for, or was allowed by, as they stand now. */
  readonly approvals: readonly Approval[];
}

/** Why a decision came out as it did. */
export interface Explanation<Approval = unknown> {
  readonly decision_id: string;
  /** One sentence for a person. */
  readonly summary: string;
  /** False where the history does not reach back far enough; then what is known is there. */
  readonly complete: boolean;
  readonly as_it_was: ExplainedDecision;
  readonly since: ChangedSince<Approval>;
}
