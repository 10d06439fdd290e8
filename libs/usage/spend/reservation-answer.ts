import type { RefusingBudget } from '#core';
import type { BudgetAndWindow } from '../budgets/budget-alerts.js';
import type { ReservationPlan, SpendAsk } from './reservation-plan.js';

/** What the database function says; see `reserve_spend`. */
export type ReservationAnswer =
  | { readonly state: 'stale' | 'expired' }
  | {
      readonly state: 'done';
      /** Milliseconds since 1970. */
      readonly expires_at: number;
      /** Pairs of a request and a window that refuses it, from 1. */
      readonly refused: readonly number[] | null;
      /** Refusing windows that nobody has been told of, from 1. */
      readonly unreported: readonly number[];
    };

/** What became of one request. */
export type AskOutcome =
  | { readonly state: 'free' }
  | { readonly state: 'reserved'; readonly expiresAt: Date }
  | {
      readonly state: 'refused';
      readonly budgets: readonly RefusingBudget[];
      /** Windows that have refused somebody in this statement for the first time. */
      readonly unreported: readonly BudgetAndWindow[];
    };

const FREE: AskOutcome = { state: 'free' };

/** Tells each request of a plan what became of it. */
export function outcomesOf<Ask extends SpendAsk>(
  { guarded, free, counters }: ReservationPlan<Ask>,
  { expires_at, refused, unreported }: Extract<ReservationAnswer, { state: 'done' }>,
): Map<Ask, AskOutcome> {
  const reserved: AskOutcome = { state: 'reserved', expiresAt: new Date(expires_at) };
  const outcomes = new Map<Ask, AskOutcome>();
  for (const ask of free) outcomes.set(ask, FREE);
  const refusals = refusalsOf(refused ?? [], counters);
  const news = unreported.flatMap(place => counters[place - 1] ?? []);
  for (const [at, ask] of guarded.entries()) {
    const budgets = refusals.get(at + 1);
    outcomes.set(ask, budgets ? { state: 'refused', budgets, unreported: news } : reserved);
  }
  return outcomes;
}

function refusalsOf(pairs: readonly number[], counters: readonly BudgetAndWindow[]): Map<number, RefusingBudget[]> {
  const refusals = new Map<number, RefusingBudget[]>();
  for (let at = 0; at < pairs.length; at += 2) {
    const request = pairs[at] ?? 0;
    const budget = counters[(pairs[at + 1] ?? 0) - 1]?.budget;
    if (!budget) continue;
    const known = refusals.get(request);
    const refusing = { id: budget.id, name: budget.name };
    if (known) known.push(refusing);
    else refusals.set(request, [refusing]);
  }
  return refusals;
}
