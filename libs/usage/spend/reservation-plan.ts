import type { SpendRequest } from '#core';
import { plainArray, SCHEMA, textArray } from '#database';
import type { KnownBudget } from '../budgets/budget-scope.js';
import { NO_PART, partOf } from '../scopes/index.js';
import type { BudgetSet } from '../budgets/organization-budgets.js';
import type { BudgetWindow } from '../windows/index.js';
import { byKey, type BudgetAndWindow } from '../budgets/budget-alerts.js';

/** User, provider and model in the row of a reservation made in advance. */
export const NOBODY = '';

/** A request and its maximum cost. */
export interface SpendAsk {
  readonly request: SpendRequest;
  readonly picodollars: bigint;
  /** An advance: an amount reserved for future requests under the same budgets. Its row has no user. */
  readonly isAdvance?: boolean;
}

/** A budget's window, and the total amount that requests need in it. */
interface Counter extends BudgetAndWindow {
  total: bigint;
  /** Position in key order, from 1. */
  place: number;
}

/** Requests that are reserved together, as parameters of the database function. */
export interface ReservationPlan {
  /** Requests to which at least one blocking budget applies, in their order. All other requests need no reservation. */
  readonly guarded: readonly SpendAsk[];
  /** The distinct windows, in key order. */
  readonly counters: readonly BudgetAndWindow[];
  /** Parameters of {@link RESERVE} from the fifth on. */
  readonly parameters: () => readonly (string | null)[];
  /** Parameters of {@link RESERVE_MANY} from the fourth on; undefined if the plan has too few windows for it. */
  readonly ofMany: (() => readonly (string | null)[]) | undefined;
}

/**
 * Calls `reserve_spend`. The first four parameters are the organization, the version of the budgets, the term of the
 * reservation, and whether to delete expired reservations. The further parameters are those of the plan.
 */
export const RESERVE = `select ${SCHEMA}.reserve_spend($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16) as answer`;

/** Calls `reserve_many_windows`, for plans with many windows. It does not delete expired reservations. */
export const RESERVE_MANY = `select ${SCHEMA}.reserve_many_windows(
  $1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16,$17) as answer`;

/** Number of windows up to which `reserve_spend` is faster. */
const FEW = 3;

/** Finds the windows that the requests need, according to the cached budgets. */
export function planReservations(set: BudgetSet, asks: readonly SpendAsk[]): ReservationPlan {
  const counters = new Counters();
  const guarded: SpendAsk[] = [];
  const sets: Counter[][] = [];
  for (const ask of asks) {
    const { request, picodollars } = ask;
    const budgets = set.blocking.matching(request);
    if (budgets.length === 0) continue;
    guarded.push(ask);
    sets.push(
      budgets.map(budget => {
        const window = set.calendar.windowOf(budget.period, request.at);
        return counters.add(budget, window, partOf(budget.splitBy, request), picodollars);
      }),
    );
  }
  const ordered = counters.inOrder();
  return {
    guarded,
    counters: ordered,
    parameters: () => [...windowsOf(ordered), ...requestsOf(guarded, [setsOf(sets, ordered)])],
    ofMany: ordered.length > FEW ? () => manyOf(guarded, sets, ordered) : undefined,
  };
}

class Counters {
  private readonly byBudget = new Map<KnownBudget, Map<number | string, Counter>>();
  private readonly all: Counter[] = [];

  add(budget: KnownBudget, window: BudgetWindow, part: string, picodollars: bigint): Counter {
    let windows = this.byBudget.get(budget);
    if (!windows) this.byBudget.set(budget, (windows = new Map<number | string, Counter>()));
    const start = window.start.getTime();
    const key = budget.splitBy ? `${start} ${part}` : start;
    let counter = windows.get(key);
    if (!counter) {
      windows.set(key, (counter = { budget, window, part, total: 0n, place: 0 }));
      this.all.push(counter);
    }
    counter.total += picodollars;
    return counter;
  }

  /** Sorts the windows by key, stores each window's position in it, and returns the windows. */
  inOrder(): readonly Counter[] {
    this.all.sort(byKey);
    for (const [at, counter] of this.all.entries()) counter.place = at + 1;
    return this.all;
  }
}

function windowsOf(counters: readonly Counter[]): (string | null)[] {
  return [
    plainArray(counters, ({ budget }) => budget.id),
    plainArray(counters, ({ window }) => window.start.toISOString()),
    counters.every(({ part }) => part === NO_PART) ? null : textArray(counters, ({ part }) => part),
    plainArray(counters, ({ window }) => window.end.toISOString()),
    plainArray(counters, ({ total }) => `${total}e-12`),
  ];
}

/**
 * The positions of the windows that each request needs. Null if all requests need the same windows, which is the usual
 * case.
 */
function setsOf(sets: readonly Counter[][], counters: readonly Counter[]): string | null {
  return sets.every(set => set.length === counters.length) ? null : textArray(sets, placesOf);
}

/** The parameters contain each budget and window once for all its parts. */
function manyOf(
  asks: readonly SpendAsk[],
  sets: readonly Counter[][],
  counters: readonly Counter[],
): (string | null)[] {
  const frames: Counter[] = [];
  const frameOf = (counter: Counter): number => {
    const last = frames.at(-1);
    const isNew = last?.budget !== counter.budget || last.window.start.getTime() !== counter.window.start.getTime();
    return isNew ? frames.push(counter) : frames.length;
  };
  const numbers = counters.map(frameOf);
  const isOneEach = sets.every(set => set.length === 1);
  return [
    plainArray(frames, ({ budget }) => budget.id),
    plainArray(frames, ({ window }) => window.start.toISOString()),
    plainArray(frames, ({ window }) => window.end.toISOString()),
    plainArray(numbers, number => number),
    textArray(counters, ({ part }) => part),
    plainArray(counters, ({ total }) => `${total}e-12`),
    ...requestsOf(asks, [
      isOneEach ? plainArray(sets, ([counter]) => counter?.place) : null,
      isOneEach ? null : textArray(sets, placesOf),
    ]),
  ];
}

function requestsOf(asks: readonly SpendAsk[], windows: readonly (string | null)[]): (string | null)[] {
  return [
    plainArray(asks, ({ request }) => request.decisionId),
    plainArray(asks, ({ picodollars }) => `${picodollars}e-12`),
    ...windows,
    textArray(asks, ask => nameIn(ask, 'userId')),
    textArray(asks, ask => nameIn(ask, 'provider')),
    textArray(asks, ask => nameIn(ask, 'model')),
    asks.some(isAboutMore) ? textArray(asks, aboutOf) : null,
  ];
}

function isAboutMore({ request: { project, tags, tokenId }, isAdvance }: SpendAsk): boolean {
  return !isAdvance && Boolean(project ?? tags ?? tokenId);
}

function nameIn({ request, isAdvance }: SpendAsk, field: 'userId' | 'provider' | 'model'): string {
  return isAdvance ? NOBODY : request[field];
}

/**
 * Attributes of a request besides user and model. The usage counts under these attributes, even if the usage event
 * states others.
 */
export function aboutOf(ask: SpendAsk): string | null {
  if (!isAboutMore(ask)) return null;
  const { project, tags, tokenId } = ask.request;
  return JSON.stringify({ ...(project && { project }), ...(tags && { tags }), ...(tokenId && { token: tokenId }) });
}

function placesOf(set: readonly Counter[]): string {
  return plainArray(
    set.map(counter => counter.place).sort((a, b) => a - b),
    place => place,
  );
}
