import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ModelPattern } from '../prices/index.js';
import { BudgetIndex, type KnownBudget, type SpendSubject } from './budget-scope.js';

const ADA = '0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33';

function budget(id: string, fields: Partial<KnownBudget>): KnownBudget {
  return {
    id,
    name: id,
    scope: 'organization',
    department: null,
    userId: null,
    model: null,
    amountUsd: '1.000000000000',
    period: 'daily',
    enforcement: 'notify',
    countsFrom: new Date(0),
    ...fields,
  };
}

function matching(budgets: KnownBudget[], subject: Partial<SpendSubject>): string[] {
  const someone = { userId: ADA, department: 'Sales', model: 'gpt-4o', ...subject };
  return new BudgetIndex(budgets).matching(someone).map(({ id }) => id);
}

const departmentOf = (department: string) => budget(department, { scope: 'department', department });
const modelOf = (model: string) => budget(model, { scope: 'model', model });

describe('the budgets that a request counts against', () => {
  it('are those of the organization, the department, the user and the model', () => {
    const budgets = [
      budget('all', {}),
      departmentOf('Sales'),
      departmentOf('Support'),
      budget('ada', { scope: 'user', userId: ADA }),
      budget('bob', { scope: 'user', userId: ADA.replace('0199', '0200') }),
      modelOf('gpt-4o'),
      modelOf('claude*'),
    ];
    expect(matching(budgets, {}).toSorted()).toEqual(['Sales', 'ada', 'all', 'gpt-4o']);
  });

  it('include several budgets with the same scope', () => {
    const budgets = [departmentOf('Sales'), { ...departmentOf('Sales'), id: 'another' }];
    expect(matching(budgets, {})).toEqual(['Sales', 'another']);
  });

  it('compare departments with case, like policies', () => {
    expect(matching([departmentOf('sales')], {})).toEqual([]);
  });

  it('of a department do not apply to users without one', () => {
    expect(matching([departmentOf('Sales'), departmentOf('null')], { department: null })).toEqual([]);
  });

  it.each([
    ['gpt-4o', 'GPT-4o', true],
    ['gpt-4*', 'gpt-4o-mini', true],
    ['*', 'anything', true],
    ['*-mini', 'gpt-4o', false],
    ['gpt-4', 'gpt-4o', false],
  ])('of the model %s apply to %s: %s', (pattern, model, concerns) => {
    expect(matching([modelOf(pattern)], { model })).toEqual(concerns ? [pattern] : []);
  });

  it('are the same by the index as by a check of each budget', () => {
    const word = fc.constantFrom('a', 'b', 'B', 'c*', '*', 'ab');
    const kind = fc.constantFrom('organization', 'department', 'user', 'model' as const);
    const some = fc.array(fc.tuple(kind, word), { maxLength: 20 });
    const subject = fc.record({ userId: word, department: fc.option(word), model: word });
    fc.assert(
      fc.property(some, subject, (drawn, who) => {
        const budgets = drawn.map(([scope, text], at) =>
          budget(String(at), {
            scope,
            department: scope === 'department' ? text : null,
            userId: scope === 'user' ? text : null,
            model: scope === 'model' ? text : null,
          }),
        );
        const expected = budgets.filter(
          ({ scope, department, userId, model }) =>
            scope === 'organization' ||
            (scope === 'department' && department === who.department) ||
            (scope === 'user' && userId === who.userId) ||
            (scope === 'model' && new ModelPattern(model ?? '').matches(who.model)),
        );
        const found = new BudgetIndex(budgets).matching(who);
        expect(found.map(({ id }) => id).toSorted()).toEqual(expected.map(({ id }) => id).toSorted());
      }),
    );
  });
});
