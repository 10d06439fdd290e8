import { describe, expect, it } from '@jest/globals';
import { UnavailableError } from '#core';
import { OrgDatabase } from '#database';
import type { KnownBudget } from '../budgets/budget-scope.js';
import { BudgetSet, OrganizationBudgets } from '../budgets/organization-budgets.js';
import { WindowCalendar } from '../windows/index.js';
import { ReservationBatcher } from './reservation-batcher.js';
import type { SpendAsk } from './reservation-plan.js';

const ORG = '0199c2a8-5f10-7c3e-9a41-3f5d8e2b7c60';
const AT = new Date('2026-11-20T12:00:00Z');
const ALL: KnownBudget = {
  ...{ id: 'b', name: 'All', scope: 'organization', department: null, userId: null, model: null },
  ...{ amountUsd: '1', period: 'daily', enforcement: 'block', countsFrom: new Date(0) },
};
const setOf = (budget: KnownBudget): BudgetSet => new BudgetSet(1, new WindowCalendar('UTC'), [budget]);
const SET = setOf(ALL);

class KnownBudgets extends OrganizationBudgets {
  readonly refreshes: string[] = [];
  set = SET;
  constructor() {
    super(undefined as never, { subscribe: () => undefined, onReset: () => undefined } as never);
  }
  override peek(): BudgetSet {
    return this.set;
  }
  override async refreshed(orgId: string): Promise<BudgetSet> {
    this.refreshes.push(orgId);
    return SET;
  }
}

/** A batcher over a fake database. For each statement, the database returns what `answer` returns for the ids in it. */
function batcherOver(answer: (ids: string[], sweep: boolean, sql: string) => object | Promise<object>) {
  const budgets = new KnownBudgets();
  class Database extends OrgDatabase {
    override async global<Row extends object>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
      const ids = String(parameters[9]).slice(1, -1).split(',');
      return [{ answer: JSON.stringify(await answer(ids, parameters[3] === true, sql)) }] as unknown as Row[];
    }
  }
  return { budgets, batcher: new ReservationBatcher(new Database(undefined as never), budgets, {}) };
}

function ask(decisionId: string, userId = 'u'): SpendAsk {
  const request = { decisionId, userId, department: null, provider: 'p', model: 'm', at: AT };
  return { request: { ...request, inputTokens: 1, outputTokens: 1 }, picodollars: 1n };
}

const DONE = { state: 'done', expires_at: 0, refused: null, unreported: [] };

describe('ReservationBatcher', () => {
  it('puts requests that wait together into one statement, and runs one at a time', async () => {
    const statements: number[] = [];
    let running = 0;
    const { batcher } = batcherOver(async ids => {
      statements.push(ids.length);
      expect(++running).toBe(1);
      await new Promise(done => setTimeout(done, 10));
      running--;
      return DONE;
    });
    const first = [batcher.reserve(ORG, ask('1')), batcher.reserve(ORG, ask('2'))];
    await new Promise(done => setTimeout(done, 5));
    const later = Array.from({ length: 1_200 }, (_, at) => batcher.reserve(ORG, ask(`later ${at}`)));
    await Promise.all([...first, ...later]);
    expect(statements).toEqual([2, 1_000, 200]);
  });

  it('reads the budgets again if they have changed, releases expired reservations first, and gives up in the end', async () => {
    const states = ['stale', 'expired', 'stale'];
    const sweeps: boolean[] = [];
    const { batcher, budgets } = batcherOver((_, sweep) => {
      sweeps.push(sweep);
      const state = states.shift();
      return state === undefined ? DONE : { state };
    });
    expect(await batcher.reserve(ORG, ask('1'))).toMatchObject({ state: 'reserved' });
    expect(sweeps).toEqual([false, false, true, true]);
    expect(budgets.refreshes).toEqual([ORG, ORG]);
    const hopeless = batcherOver(() => ({ state: 'stale' })).batcher;
    await expect(hopeless.reserve(ORG, ask('1'))).rejects.toThrow(UnavailableError);
  });

  it('fails all requests of a statement whose outcome is unknown, and none for an error in another statement', async () => {
    const lost = batcherOver(() => {
      throw new Error('Connection terminated unexpectedly');
    }).batcher;
    const outcomes = await Promise.allSettled([lost.reserve(ORG, ask('1')), lost.reserve(ORG, ask('2'))]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const picky = batcherOver(ids => {
      if (ids.includes('bad')) throw Object.assign(new Error('duplicate key'), { code: '23505' });
      return DONE;
    }).batcher;
    const asked = ['1', 'bad', '2'].map(id => picky.reserve(ORG, ask(id)));
    expect((await Promise.allSettled(asked)).map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
  });

  it('tries many windows with one statement again only after a batch without a refusal', async () => {
    const calls: boolean[] = [];
    const { batcher, budgets } = batcherOver((_ids, _sweep, sql) => {
      calls.push(sql.includes('reserve_many_windows'));
      return calls.length === 1 ? { ...DONE, refused: [1, 1] } : DONE;
    });
    budgets.set = setOf({ ...ALL, splitBy: 'user' });
    for (let batch = 0; batch < 3; batch++) {
      await Promise.all(['a', 'b', 'c', 'd'].map(id => batcher.reserve(ORG, ask(id, id))));
    }
    expect(calls).toEqual([true, false, true]);
  });

  it('accepts 25,000 waiting requests of an organization and those of others, and more when they are answered', async () => {
    const { batcher } = batcherOver(() => DONE);
    const waiting = Array.from({ length: 25_000 }, (_, at) => batcher.reserve(ORG, ask(String(at))));
    await expect(batcher.reserve(ORG, ask('one more'))).rejects.toThrow(/waiting for their budgets/);
    await expect(batcher.reserve(ORG.replace('0199', '0200'), ask('other'))).resolves.toMatchObject({
      state: 'reserved',
    });
    await Promise.all(waiting);
    expect(await batcher.reserve(ORG, ask('one more'))).toMatchObject({ state: 'reserved' });
  });
});
