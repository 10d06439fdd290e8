import type { DecisionReason, ShownCondition } from '../records/decision.js';
import type { Judgement } from '../decisions/judge.js';
import { PolicyPresenter } from '../decide/policy-presenter.js';
import { matchOf, type Comparison, type Outcome } from './comparison.js';
import { readRequest } from './recorded-request.js';

/** The action and its reason; no reason if no decision could be made. */
export interface SampledOutcome {
  readonly action: Outcome;
  readonly reason: DecisionReason | null;
}

/** A recorded decision that the draft changes. */
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
  /** Match of the draft or of the policy that it replaces; undefined if neither matches. */
  readonly conditions: readonly ShownCondition[] | undefined;
}

/** Evaluates a decision again, given in the form that {@link readRequest} reads, to present it in full. */
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

/** The time in a UUID of version 7. */
function timeOf(id: string): Date {
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
}
