import { describe, expect, it } from '@jest/globals';
import type { KnownBudget } from '../budgets/budget-scope.js';
import { BudgetSet } from '../budgets/organization-budgets.js';
import { WindowCalendar } from '../windows/index.js';
import { outcomesOf } from './reservation-answer.js';
import { planReservations, type SpendAsk } from './reservation-plan.js';

function budget(id: string, more: Partial<KnownBudget> = {}): KnownBudget {
  return {
    ...{ id, name: `name of ${id}`, scope: 'organization', department: null, userId: null, model: null },
    ...{ amountUsd: '1', period: 'daily', enforcement: 'block', countsFrom: new Date(0) },
    ...more,
  };
}

function ask(decisionId: string, picodollars: bigint, more: object = {}): SpendAsk {
  const request = { decisionId, userId: 'ada "A"', department: null, provider: 'p', model: 'm', ...more };
  const at = new Date('2026-11-20T12:00:00Z');
  return { request: { at, inputTokens: 1, outputTokens: 1, ...request }, picodollars };
}

function setOf(...budgets: KnownBudget[]): BudgetSet {
  return new BudgetSet(1, new WindowCalendar('UTC'), budgets);
}

const ALL = budget('b');
const SALES = budget('a', { scope: 'department', department: 'Sales' });

describe('planReservations', () => {
  it('names each window once, in the order of the keys, with everything that is requested of it', () => {
    const tomorrow = { at: new Date('2026-11-21T12:00:00Z') };
    const { parameters, guarded } = planReservations(setOf(ALL, SALES), [
      ask('1', 5n, { department: 'Sales', ...tomorrow }),
      ask('2', 7n, { department: 'Sales' }),
      ask('3', 11n),
    ]);
    expect(guarded).toHaveLength(3);
    expect(parameters()).toEqual([
      '{a,a,b,b}',
      '{2026-11-20T00:00:00.000Z,2026-11-21T00:00:00.000Z,2026-11-20T00:00:00.000Z,2026-11-21T00:00:00.000Z}',
      null,
      '{2026-11-21T00:00:00.000Z,2026-11-22T00:00:00.000Z,2026-11-21T00:00:00.000Z,2026-11-22T00:00:00.000Z}',
      '{7e-12,5e-12,18e-12,5e-12}',
      '{1,2,3}',
      '{5e-12,7e-12,11e-12}',
      '{"{2,4}","{1,3}","{3}"}',
      String.raw`{"ada \"A\"","ada \"A\"","ada \"A\""}`,
      '{"p","p","p"}',
      '{"m","m","m"}',
      null,
    ]);
  });

  it('has no sets if all requests need all windows', () => {
    expect(planReservations(setOf(ALL), [ask('1', 5n), ask('2', 7n)]).parameters()[7]).toBeNull();
  });

  it('names each budget and window once if the requests need many parts', () => {
    const each = budget('c', { splitBy: 'user' });
    const asks = ['u4', 'u2', 'u1', 'u3', 'u2'].map((userId, at) => ask(String(at), 2n, { userId }));
    const window = ['{c}', '{2026-11-20T00:00:00.000Z}', '{2026-11-21T00:00:00.000Z}'];
    const alone = planReservations(setOf(each), asks).ofMany?.();
    expect(alone?.slice(0, 10)).toEqual([
      ...window,
      ...['{1,1,1,1}', '{"u1","u2","u3","u4"}', '{2e-12,4e-12,2e-12,2e-12}'],
      ...['{0,1,2,3,4}', '{2e-12,2e-12,2e-12,2e-12,2e-12}', '{4,2,1,3,2}', null],
    ]);
    const both = planReservations(setOf(ALL, each), asks).ofMany?.();
    expect(both?.[3]).toBe('{1,2,2,2,2}');
    expect(both?.slice(8, 10)).toEqual([null, '{"{1,5}","{1,3}","{1,2}","{1,4}","{1,3}"}']);
    expect(planReservations(setOf(each), asks.slice(0, 3)).ofMany).toBeUndefined();
  });

  it('leaves out requests without a matching budget', () => {
    const asks = [ask('1', 1n), ask('2', 1n, { department: 'Sales' }), ask('3', 1n)];
    const plan = planReservations(setOf(SALES), asks);
    expect(plan.guarded.map(({ request }) => request.decisionId)).toEqual(['2']);
    const answer = { state: 'done' as const, expires_at: 1_000, refused: null, unreported: [] };
    expect(outcomesOf(asks, plan, answer).map(({ state }) => state)).toEqual(['free', 'reserved', 'free']);
  });
});

describe('outcomesOf', () => {
  it('gives each request its outcome', () => {
    const asks = [ask('1', 5n, { department: 'Sales' }), ask('2', 7n, { department: 'Sales' }), ask('3', 11n)];
    const plan = planReservations(setOf(ALL, SALES), asks);
    const answer = { state: 'done' as const, expires_at: 1_000, refused: [2, 1, 2, 2], unreported: [2] };
    const outcomes = outcomesOf(asks, plan, answer);
    expect(outcomes.map(({ state }) => state)).toEqual(['reserved', 'refused', 'reserved']);
    expect(outcomes[0]).toEqual({ state: 'reserved', expiresAt: new Date(1_000) });
    expect(outcomes[1]).toMatchObject({
      budgets: [
        { id: 'a', name: 'name of a' },
        { id: 'b', name: 'name of b' },
      ],
      unreported: [{ budget: ALL }],
    });
  });
});
