import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { OrgDatabase } from '#database';
import type { KnownBudget } from '../budgets/budget-scope.js';
import { BudgetSet, type OrganizationBudgets } from '../budgets/organization-budgets.js';
import { WindowCalendar } from '../windows/index.js';
import { Advances } from './advances.js';
import type { AskOutcome } from './reservation-answer.js';
import type { ReservationBatcher } from './reservation-batcher.js';
import type { SpendAsk } from './reservation-plan.js';

const at = new Date('2026-11-20T13:00:00.000Z');
const expiresAt = new Date('2026-11-20T13:15:00.000Z');
const ORG = 'org';

function budgetOf(more: Partial<KnownBudget> = {}): KnownBudget {
  const nobody = { department: null, userId: null, model: null, match: null, splitBy: null };
  const terms = { amountUsd: '100', period: 'monthly', enforcement: 'block', countsFrom: new Date(0) } as const;
  return { id: 'b', name: 'All', scope: 'organization', ...nobody, ...terms, ...more };
}

/** A request that costs a thousandth of a dollar. */
function askOf(decisionId: string): SpendAsk {
  const subject = { userId: 'ada', department: null, provider: 'acme', model: 'acme-1' };
  return { request: { decisionId, ...subject, inputTokens: 1, outputTokens: 1, at }, picodollars: 1_000_000_000n };
}

/** Advances over a fake database that the test controls. */
class Stage {
  set = new BudgetSet(1, new WindowCalendar('UTC'), [budgetOf()]);
  readonly taken: SpendAsk[] = [];
  outcome: AskOutcome = { state: 'reserved', expiresAt };
  /** One entry for each division: organization, advance, whether the rest is kept, and the decisions. */
  readonly divided: (readonly unknown[])[] = [];
  beforeRefusal: (orgId: string) => Promise<boolean> = () => Promise.resolve(false);
  close: () => Promise<void> = () => Promise.resolve();
  readonly advances: Advances;
  private made = 0;

  constructor() {
    const database: Pick<OrgDatabase, 'beforeClose' | 'global'> = {
      beforeClose: work => void (this.close = work),
      global: async (_sql: unknown, parameters?: readonly unknown[]) => {
        this.divided.push((parameters ?? []).slice(0, 4));
        return [];
      },
    };
    const budgets: Pick<OrganizationBudgets, 'peek'> = { peek: () => this.set };
    const batcher: Pick<ReservationBatcher, 'tryReserve' | 'beforeRefusal'> = {
      beforeRefusal: settle => void (this.beforeRefusal = settle),
      tryReserve: async (_orgId, ask) => {
        this.taken.push(ask);
        return this.outcome;
      },
    };
    // The objects contain only the parts that Advances uses.
    this.advances = new Advances(
      database as OrgDatabase,
      budgets as OrganizationBudgets,
      batcher as ReservationBatcher,
    );
  }

  /** Makes requests. Returns how many of them used an advance. */
  draw(requests: number): number {
    let drawn = 0;
    for (let n = 0; n < requests; n++) {
      const ask = askOf(`d${this.made++}`);
      if (this.advances.draw(ORG, this.set, this.set.budgets, ask)) drawn++;
    }
    return drawn;
  }

  /** Makes requests until an advance exists. */
  async warm(): Promise<void> {
    this.draw(40);
    await settled();
  }
}

/** Waits until all running work has ended. */
async function settled(): Promise<void> {
  await new Promise(setImmediate);
}

describe('advances', () => {
  let stage: Stage;
  beforeEach(() => {
    stage = new Stage();
  });
  afterEach(() => stage.close());

  it('are made from the twentieth request on, one at a time, with the amount that the requests have needed', async () => {
    expect(stage.draw(19)).toBe(0);
    expect(stage.taken).toEqual([]);
    expect(stage.draw(21)).toBe(0);
    await settled();
    expect(stage.taken).toMatchObject([{ isAdvance: true, picodollars: 20_000_000_000n }]);
    expect(stage.draw(10)).toBe(10);
  });

  it('are replaced when they are half used, and their withdrawals get rows', async () => {
    await stage.warm();
    expect(stage.draw(11)).toBe(11);
    await settled();
    expect(stage.taken).toHaveLength(2);
    expect(stage.divided).toMatchObject([
      [ORG, stage.taken[0]?.request.decisionId, false, expect.stringMatching(/d40,.*d50/)],
    ]);
    expect(stage.draw(1)).toBe(1);
  });

  it('are not made under a split budget, nor if too few requests fit', async () => {
    for (const budget of [budgetOf({ splitBy: 'user' }), budgetOf({ amountUsd: '1.5' })]) {
      stage.set = new BudgetSet(1, stage.set.calendar, [budget]);
      await stage.warm();
      expect(stage.taken).toEqual([]);
    }
  });

  it('are neither used nor kept once budgets have changed', async () => {
    await stage.warm();
    stage.set = new BudgetSet(2, stage.set.calendar, [budgetOf({ amountUsd: '90' })]);
    expect(stage.draw(1)).toBe(0);
    await settled();
    expect(stage.draw(1)).toBe(1);

    const other = new Stage();
    other.draw(40);
    other.set = new BudgetSet(2, other.set.calendar, [budgetOf({ amountUsd: '90' })]);
    await settled();
    expect(other.divided).toMatchObject([[ORG, other.taken[0]?.request.decisionId, false, '{}']]);
    await other.close();
  });

  it('are not requested again at once if budgets refuse them', async () => {
    stage.outcome = { state: 'refused', budgets: [], unreported: [] };
    await stage.warm();
    await stage.warm();
    expect(stage.taken).toHaveLength(1);
    expect(stage.draw(1)).toBe(0);
  });

  it('are released before a request is refused', async () => {
    expect(await stage.beforeRefusal(ORG)).toBe(false);
    await stage.warm();
    expect(await stage.beforeRefusal('another')).toBe(false);
    expect(await stage.beforeRefusal(ORG)).toBe(true);
    expect(stage.divided).toMatchObject([[ORG, stage.taken[0]?.request.decisionId, false, '{}']]);
    expect(await stage.beforeRefusal(ORG)).toBe(false);
  });

  it('store the withdrawals of some decisions, once, and keep the rest', async () => {
    await stage.warm();
    stage.draw(3);
    await stage.advances.store(ORG, ['d40', 'd42', 'unknown']);
    await stage.advances.store(ORG, ['d40']);
    await stage.advances.store('another', ['d41']);
    expect(stage.divided).toMatchObject([[ORG, stage.taken[0]?.request.decisionId, true, '{d40,d42}']]);
    expect(await stage.advances.giveBack(ORG, 'd40')).toBeUndefined();
    expect(await stage.advances.giveBack(ORG, 'd41')).toBe(1_000_000_000n);
    expect(await stage.advances.giveBack(ORG, 'd41')).toBeUndefined();
  });

  it('are released when the process ends, and not made afterwards', async () => {
    stage.draw(40);
    await stage.close();
    expect(stage.divided).toHaveLength(1);
    expect(stage.draw(40)).toBe(0);
    await settled();
    expect(stage.taken).toHaveLength(1);
  });
});
