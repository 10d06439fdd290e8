import type { JsonObject, PriceQuote, Severity } from '#core';
import type { Decision, DecisionInput } from '#policy';

/** A decision that the host asked for. */
export interface RecordedDecisionCall {
  readonly kind: 'decision';
  readonly orgId: string;
  readonly request: DecisionInput;
  readonly decision: Decision;
}

/** A violation, for which the real module raises an incident and sends `policy_violation`. */
export interface RecordedIncident {
  readonly kind: 'incident';
  readonly orgId: string;
  readonly incidentId: string;
  readonly severity: Severity;
  readonly policyId: string | null;
  /** The user's id, or what the request named. */
  readonly userId: string | null;
  readonly decisionId: string;
  readonly details: JsonObject;
}

/** A usage event that was accepted. */
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
  /** What it cost, and by whose price; null where the model has none. */
  readonly price: Pick<PriceQuote, 'picodollars' | 'source'> | null;
}

/** A reservation that the host gave back. */
export interface RecordedRelease {
  readonly kind: 'release';
  readonly orgId: string;
  readonly decisionId: string;
}

/** Something that the host did, or that followed from it. */
export type RecordedAct = RecordedDecisionCall | RecordedIncident | RecordedUsage | RecordedRelease;
