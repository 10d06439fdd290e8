import { UnavailableError, type SqlTransaction } from '#core';
import type { BudgetSet } from '../budgets/organization-budgets.js';
import { FREE, outcomesOf, type AskOutcome, type ReservationAnswer } from './reservation-answer.js';
import { planReservations, RESERVE, RESERVE_MANY, type SpendAsk } from './reservation-plan.js';

/** Context of a batch of requests of one organization. */
export interface ReservationPlace {
  readonly orgId: string;
  readonly query: SqlTransaction['query'];
  /** Minutes until a reservation expires. */
  readonly minutes: number;
  /** The cached budgets. */
  readonly known: BudgetSet;
  /** Returns the current budgets. Called if the cache is out of date. */
  refreshed(): Promise<BudgetSet>;
  /**
   * Whether to release expired reservations in every case. Otherwise they are released only if there is too little
   * room.
   */
  readonly sweepsFirst: boolean;
  /**
   * Whether all requests probably have room. If they do not, an attempt to reserve for all of them at once wastes time.
   */
  readonly isRoomLikely: boolean;
}

/**
 * Maximum number of attempts. An attempt is repeated for rare reasons only: budgets were changed, or reservations had
 * expired.
 */
const ATTEMPTS = 10;

/**
 * Reserves money for requests in order. A request is reserved in all budgets that apply to it, or in none. Returns one
 * outcome per request, in order.
 * @throws UnavailableError if budgets change faster than they can be read
 */
export async function reserveTogether(place: ReservationPlace, asks: readonly SpendAsk[]): Promise<AskOutcome[]> {
  let set = place.known;
  let sweep = place.sweepsFirst;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const plan = planReservations(set, asks);
    if (plan.guarded.length === 0) return asks.map(() => FREE);
    const head = [place.orgId, set.version, `${place.minutes} minutes`];
    const many = place.isRoomLikely && !sweep ? plan.ofMany?.() : undefined;
    const sql = many ? RESERVE_MANY : RESERVE;
    const parameters = many ? [...head, ...many] : [...head, sweep, ...plan.parameters()];
    const [row] = await place.query<{ answer: string }>(sql, parameters);
    // The database function produced this text.
    const answer = JSON.parse(row?.answer ?? '{}') as ReservationAnswer;
    if (answer.state === 'done') return outcomesOf(asks, plan, answer);
    if (answer.state === 'stale') set = await place.refreshed();
    else sweep = true;
  }
  throw new UnavailableError('The budgets of your organization are changing too fast; try again shortly.');
}
