import type { DecisionReason, ShownCondition } from '../records/decision.js';
import type { Judgement } from '../decisions/judge.js';
import { PolicyPresenter } from '../decide/policy-presenter.js';
import { matchOf, type Comparison, type Outcome } from './comparison.js';
import { readRequest } from './recorded-request.js';

/** The action and its reason. There is no reason if no decision could be made. */
export interface SampledOutcome {
  readonly action: Outcome;
  readonly reason: DecisionReason | null;
}

/** A recorded decision whose outcome the draft changes. */
export interface SampledDecision {
  readonly decisionId: string;
  readonly evaluatedAt: Date;
  readonly userId: string | null;
  readonly userEmail: string | null;
  readonly department: string | null;
  readonly provider: string;
  readonly model: string;
  readonly before: SampledOutcome;
  readonly after: SampledOutcome;
  /** Conditions of the draft that matched, or of the policy that it replaces. Undefined if neither matched. */
  readonly conditions: readonly ShownCondition[] | undefined;
}

/**
 * Evaluates a decision again, to show it in full.
 * @param text the request in the format that {@link readRequest} parses
 */
export function sampledDecision(decisionId: string, text: string, comparison: Comparison): SampledDecision {
  const asked = readRequest(text);
  const { input, userId, userEmail, department } = asked;
  const { before, after } = comparison.judge(asked);
  const matches = [after, before].map(judgement => judgement && matchOf(judgement, comparison.draft.id));
  const shown = matches[0] ?? matches[1];
  return {
    decisionId,
    evaluatedAt: timeOf(decisionId),
    ...{ userId, userEmail, department },
    provider: input.provider,
    model: input.model,
    before: outcomeOf(before),
    after: outcomeOf(after),
    conditions: shown && new PolicyPresenter().present([shown]).policies[0]?.matched_conditions,
  };
}

function outcomeOf(judgement: Judgement | undefined): SampledOutcome {
  return judgement ? { action: judgement.action, reason: judgement.reason } : { action: 'unavailable', reason: null };
}

/** The time that a UUID version 7 contains. */
function timeOf(id: string): Date {
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
}
