import type { RefusingBudget } from '#core';
import type { BudgetAndWindow } from '../budgets/budget-alerts.js';
import type { ReservationPlan, SpendAsk } from './reservation-plan.js';

/** Answer of the database function `reserve_spend`. */
export type ReservationAnswer =
  | { readonly state: 'stale' | 'expired' }
  | {
      readonly state: 'done';
      /** Milliseconds since 1970. */
      readonly expires_at: number;
      /** Pairs of a request and a window that refuses it, numbered from 1. */
      readonly refused: readonly number[] | null;
      /**
       * Windows that refused a request, have sent no alert, and are at least 80 % spent or reserved; numbered from 1.
       */
      readonly unreported: readonly number[];
    };

/** The outcome for one request. */
export type AskOutcome =
  | { readonly state: 'free' }
  | { readonly state: 'reserved'; readonly expiresAt: Date }
  | {
      readonly state: 'refused';
      readonly budgets: readonly RefusingBudget[];
      /** Windows that refused a request, have sent no alert, and are at least 80 % spent or reserved. */
      readonly unreported: readonly BudgetAndWindow[];
    };

export const FREE: AskOutcome = { state: 'free' };

/** Converts the answer to one outcome per request of the plan, in order. */
export function outcomesOf(
  asks: readonly SpendAsk[],
  { guarded, counters }: ReservationPlan,
  { expires_at, refused, unreported }: Extract<ReservationAnswer, { state: 'done' }>,
): AskOutcome[] {
  const reserved: AskOutcome = { state: 'reserved', expiresAt: new Date(expires_at) };
  const refusals = refusalsOf(refused ?? [], counters);
  const news = unreported.flatMap(place => counters[place - 1] ?? []);
  let at = 0;
  return asks.map(ask => {
    if (guarded[at] !== ask) return FREE;
    const budgets = refusals.get(++at);
    return budgets ? { state: 'refused', budgets, unreported: news } : reserved;
  });
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
