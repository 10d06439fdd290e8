import type { Occurrence } from '#incidents';
import type { DecidablePolicy, PolicyAction } from '../decide/index.js';
import type { Decision, DecisionInput, DecisionReason } from '../records/decision.js';

/** A fixed result for every request. Policies are ignored. */
export interface FixedAnswer {
  readonly action: PolicyAction;
  readonly reason: DecisionReason;
}

/** The input of decisions in memory, and the callbacks that receive their results. */
export abstract class PolicyMemory {
  /** The policies of every organization. Replace the array to change them. */
  abstract readonly policies: readonly DecidablePolicy[];
  /** The result of every request; undefined if policies are evaluated. */
  abstract readonly fixedAnswer: FixedAnswer | undefined;
  /** Called before each decision. @throws OrganizationNotFoundError if the organization does not exist */
  abstract assertOrganization(orgId: string): void;
  /** Called once for each decision, in the order in which they are made. */
  abstract decided(orgId: string, request: DecisionInput, decision: Decision): void;
  /** Called for each violation of a decision, after the decision. */
  abstract violated(orgId: string, violation: Occurrence): void;
  /** Called when a host releases the reservation of a decision. */
  abstract released(orgId: string, decisionId: string): void;
}
