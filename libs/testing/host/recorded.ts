import type { JsonObject, PriceQuote, Severity } from '#core';
import type { Decision, DecisionInput } from '#policy';

/** A decision that the host requested. */
export interface RecordedDecisionCall {
  readonly kind: 'decision';
  readonly orgId: string;
  readonly request: DecisionInput;
  readonly decision: Decision;
}

/** A violation. The real module raises an incident and sends `policy_violation` for it. */
export interface RecordedIncident {
  readonly kind: 'incident';
  readonly orgId: string;
  readonly incidentId: string;
  readonly severity: Severity;
  readonly policyId: string | null;
  /** The user's id, or the user as named in the request. */
  readonly userId: string | null;
  readonly decisionId: string;
  readonly details: JsonObject;
}

/** An accepted usage event. */
export interface RecordedUsage {
  readonly kind: 'usage';
  readonly orgId: string;
  readonly eventId: string;
  readonly userId: string;
  readonly provider: string;
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The decision that the event names. */
  readonly decisionId: string | null;
  /** The cost and the source of its price; null if the model has no price. */
  readonly price: Pick<PriceQuote, 'picodollars' | 'source'> | null;
}

/** A reservation that the host released. */
export interface RecordedRelease {
  readonly kind: 'release';
  readonly orgId: string;
  readonly decisionId: string;
}

/** An act of the host, or an effect of one. */
export type RecordedAct = RecordedDecisionCall | RecordedIncident | RecordedUsage | RecordedRelease;
