import { describe, expect, it } from '@jest/globals';
import type { KnownBudget } from '../budgets/budget-scope.js';
import { BudgetSet } from '../budgets/organization-budgets.js';
import { WindowCalendar } from '../windows/index.js';
import { windowChanges, type SpendingEvent } from './window-changes.js';

function budget(id: string, more: Partial<KnownBudget> = {}): KnownBudget {
  return {
    ...{ id, name: id, scope: 'organization', department: null, userId: null, model: null },
    ...{ amountUsd: '1', period: 'daily', enforcement: 'block', countsFrom: new Date('2026-11-19T00:00:00Z') },
    ...more,
  };
}

function event(more: Partial<SpendingEvent> = {}): SpendingEvent {
  return {
    ...{ userId: 'ada', department: 'Sales', model: 'm', decisionId: null, cost: { picodollars: 5n } },
    occurredAt: new Date('2026-11-20T12:00:00Z'),
    ...more,
  };
}

function changed(
  budgets: KnownBudget[],
  events: SpendingEvent[],
  held: Parameters<typeof windowChanges>[1] = new Map(),
): string[] {
  const set = new BudgetSet(1, new WindowCalendar('UTC'), budgets);
  return windowChanges(set, held, events).map(
    ({ budget: { id }, window, spentPicodollars, releasedPicodollars }) =>
      `${id} ${window.start.toISOString().slice(0, 10)} +${spentPicodollars} -${releasedPicodollars}`,
  );
}

describe('windowChanges', () => {
  it("count in every budget that applies, in the window of the event's time", () => {
    const budgets = [
      budget('all'),
      budget('sales', { scope: 'department', department: 'Sales', enforcement: 'notify' }),
      budget('research', { scope: 'department', department: 'Research' }),
    ];
    expect(changed(budgets, [event()])).toEqual(['all 2026-11-20 +5 -0', 'sales 2026-11-20 +5 -0']);
  });

  it('do not count in windows that begin before the budget counts', () => {
    const late = [event({ occurredAt: new Date('2026-11-18T23:59:59Z') })];
    expect(changed([budget('all')], late)).toEqual([]);
    expect(changed([budget('all')], [event({ occurredAt: new Date('2026-11-19T00:00:00Z') })])).toHaveLength(1);
  });

  it('settle in the window of the reservation, also after its end, and in budgets that would not apply', () => {
    const all = budget('all');
    const sales = budget('sales', { scope: 'department', department: 'Sales' });
    const windows = [{ budget: sales, start: new Date('2026-11-19T00:00:00Z') }];
    const held = new Map([['d', { picodollars: 9n, model: 'm', windows }]]);
    const moved = event({ decisionId: 'd', department: 'Research' });
    expect(changed([all, sales], [moved], held)).toEqual(['sales 2026-11-19 +5 -9', 'all 2026-11-20 +5 -0']);
  });

  it('count once in budgets of a kind, even if the department or the model has changed', () => {
    const sales = budget('sales', { scope: 'department', department: 'Sales' });
    const research = budget('research', { scope: 'department', department: 'Research' });
    const one = budget('one', { scope: 'model', model: 'm' });
    const other = budget('other', { scope: 'model', model: 'm-2026' });
    const start = new Date('2026-11-20T00:00:00Z');
    const windows = [sales, one].map(held => ({ budget: held, start }));
    const moved = event({ decisionId: 'd', department: 'Research', model: 'm-2026' });
    const held = new Map([['d', { picodollars: 9n, model: 'm', windows }]]);
    expect(changed([sales, research, one, other], [moved], held)).toEqual([
      'sales 2026-11-20 +5 -9',
      'one 2026-11-20 +5 -9',
    ]);
  });

  it('settle with the first event of a decision only', () => {
    const all = budget('all');
    const held = new Map([
      ['d', { picodollars: 9n, model: 'm', windows: [{ budget: all, start: new Date('2026-11-19') }] }],
    ]);
    const events = [event({ decisionId: 'd' }), event({ decisionId: 'd' }), event({ decisionId: 'other' })];
    expect(changed([all], events, held)).toEqual([
      'all 2026-11-19 +5 -9',
      'all 2026-11-20 +5 -0',
      'all 2026-11-20 +5 -0',
    ]);
  });

  it('count nothing for usage without a price, and still release the reservation', () => {
    const all = budget('all');
    const held = new Map([
      ['d', { picodollars: 9n, model: 'm', windows: [{ budget: all, start: new Date('2026-11-20') }] }],
    ]);
    expect(changed([all], [event({ decisionId: 'd', cost: { picodollars: null } })], held)).toEqual([
      'all 2026-11-20 +0 -9',
    ]);
  });
});
