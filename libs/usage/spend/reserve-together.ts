import { UnavailableError, type SqlTransaction } from '#core';
import type { BudgetSet } from '../budgets/organization-budgets.js';
import { FREE, outcomesOf, type AskOutcome, type ReservationAnswer } from './reservation-answer.js';
import { planReservations, RESERVE, type SpendAsk } from './reservation-plan.js';

/** Where and how some requests of an organization are reserved. */
export interface ReservationPlace {
  readonly orgId: string;
  readonly query: SqlTransaction['query'];
  /** Minutes for which money is held. */
  readonly minutes: number;
  /** The budgets as they are known. */
  readonly known: BudgetSet;
  /** The budgets as they are now, for when those have changed. */
  refreshed(): Promise<BudgetSet>;
  /** Whether expired reservations are given back first, and not only where there is too little room. */
  readonly sweepsFirst: boolean;
}

/** Each repetition has a reason that seldom comes twice: budgets were changed, or reservations had expired. */
const ATTEMPTS = 10;

/**
 * Reserves what some requests may cost, in their order: each in every budget that guards it, or in none. Answers one
 * outcome per request, at its place.
 * @throws UnavailableError where budgets change faster than they can be read
 */
export async function reserveTogether(place: ReservationPlace, asks: readonly SpendAsk[]): Promise<AskOutcome[]> {
  let set = place.known;
  let sweep = place.sweepsFirst;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const plan = planReservations(set, asks);
    if (plan.guarded.length === 0) return asks.map(() => FREE);
    const head = [place.orgId, set.version, `${place.minutes} minutes`, sweep];
    const [row] = await place.query<{ answer: string }>(RESERVE, [...head, ...plan.parameters]);
    // The function wrote this text itself.
    const answer = JSON.parse(row?.answer ?? '{}') as ReservationAnswer;
    if (answer.state === 'done') return outcomesOf(asks, plan, answer);
    if (answer.state === 'stale') set = await place.refreshed();
    else sweep = true;
  }
  throw new UnavailableError('The budgets of your organization are being changed too fast; try again shortly.');
}
