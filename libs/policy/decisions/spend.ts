import type { SpendRequest, SpendVerdict } from '#core';
import type { Decision } from '../records/decision.js';
import type { MadeDecision } from './record-entry.js';

const PICODOLLARS = 1e12;

/** US dollars as a JSON number: the number that is nearest to the exact amount. */
export function dollars(picodollars: bigint): number {
  return Number(picodollars) / PICODOLLARS;
}

/** The request to the spend guard, for a decision that policies allow. */
export function spendRequestOf({ input, caller, judgement: { subject }, decision }: MadeDecision): SpendRequest {
  return {
    decisionId: decision.id,
    // An unknown person has no budget, but the cost counts against the organization's budgets.
    userId: subject.id?.toLowerCase() ?? subject.email ?? '',
    department: typeof subject.department === 'string' ? subject.department : null,
    provider: input.provider,
    model: input.model,
    project: input.project,
    tags: input.tags,
    tokenId: caller.tokenId,
    inputTokens: input.estimated_input_tokens,
    outputTokens: input.max_output_tokens,
    serviceTier: input.service_tier,
    region: input.region,
    at: new Date(decision.evaluated_at),
  };
}

/** The decision after the check by the spend guard: with its reservation, or refused. */
export function withVerdict(made: MadeDecision, verdict: SpendVerdict | undefined): MadeDecision {
  return verdict ? { ...made, decision: guarded(made.decision, verdict) } : made;
}

function guarded({ evaluated_at, ...before }: Decision, verdict: SpendVerdict): Decision {
  if (!verdict.allowed && verdict.limits) {
    const limits = verdict.limits.map(({ id, name }) => ({ id, name }));
    const waiting = { limits, retry_after_ms: Math.ceil(verdict.retryAfterMs ?? 0) };
    return { ...before, action: 'block', allowed: false, reason: 'rate_limited', ...waiting, evaluated_at };
  }
  if (!verdict.allowed) {
    const budgets = verdict.budgets.map(({ id, name }) => ({ id, name }));
    return { ...before, action: 'block', allowed: false, reason: 'budget_exceeded', budgets, evaluated_at };
  }
  const { id, picodollars, expiresAt } = verdict.reservation;
  const reservation = { id, amount_usd: dollars(picodollars), expires_at: expiresAt.toISOString() };
  return { ...before, reservation, evaluated_at };
}
