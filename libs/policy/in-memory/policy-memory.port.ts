import type { Occurrence } from '#incidents';
import type { DecidablePolicy, PolicyAction } from '../decide/index.js';
import type { Decision, DecisionInput, DecisionReason } from '../records/decision.js';

/** An answer that does not ask the policies. */
export interface FixedAnswer {
  readonly action: PolicyAction;
  readonly reason: DecisionReason;
}

/** What decisions in memory are made from, and where they are told. */
export abstract class PolicyMemory {
  /** The policies of every organization. A change is another array. */
  abstract readonly policies: readonly DecidablePolicy[];
  /** The answer to every request; undefined where the policies decide. */
  abstract readonly fixedAnswer: FixedAnswer | undefined;
  /** Called before each decision. @throws OrganizationNotFoundError where the organization was not made */
  abstract assertOrganization(orgId: string): void;
  /** Called once for each decision, in the order in which they are made. */
  abstract decided(orgId: string, request: DecisionInput, decision: Decision): void;
  /** Called for each violation of a decision, after the decision. */
  abstract violated(orgId: string, violation: Occurrence): void;
  /** Called where a host gives back what a decision reserved. */
  abstract released(orgId: string, decisionId: string): void;
}
