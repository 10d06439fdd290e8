import { describe, expect, it } from '@jest/globals';
import { DECISION_REASONS } from '../records/decision.js';
import type { ExplainedDecision, ExplainedPolicy } from './explanation.js';
import { conditionInWords, summaryOf, valueInWords } from './in-words.js';

const policy = (fields: Partial<ExplainedPolicy> = {}): ExplainedPolicy => ({
  id: 'p',
  name: 'Research only',
  action: 'block',
  version: 3,
  content: null,
  conditions: [],
  change: null,
  changed_at: null,
  changed_by: null,
  ...fields,
});

const decision = (fields: Partial<ExplainedDecision> = {}): ExplainedDecision => ({
  evaluated_at: '2026-11-20T12:00:00.000Z',
  provider: 'openai',
  model: 'gpt-4o',
  action: 'block',
  allowed: false,
  reason: 'policy',
  decided_by: 'policy',
  winner: null,
  person: { user_id: 'u', email: 'a@b', name: 'Ada', department: null, role: null, status: 'active', attributes: {} },
  device: null,
  policies: [policy()],
  policies_total: 1,
  not_matched: { total: 0, items: [] },
  ...fields,
});

const causeOf = (fields: Partial<ExplainedDecision>) => summaryOf(decision(fields)).split(': ').slice(1).join(': ');

describe('a condition in words', () => {
  it.each([
    ['in', ['a', 'b'], 'department is one of “a” or “b”'],
    ['not_in', ['a'], 'department is none of “a”'],
    ['in', [], 'department is one of nothing'],
    ['in', ['1', '2', '3', '4', '5', '6', '7'], 'department is one of “1”, “2”, “3”, “4”, “5” or 2 more'],
    ['eq', null, 'department is null'],
    ['not_eq', true, 'department is not true'],
    ['starts_with', 'a', 'department begins with “a”'],
    ['ends_with', 'a', 'department ends with “a”'],
    ['exists', true, 'department is there'],
    ['exists', false, 'department is not there'],
    ['gt', 1, 'department is greater than 1'],
    ['gte', 1, 'department is at least 1'],
    ['lt', 1, 'department is less than 1'],
    ['lte', 1.5, 'department is at most 1.5'],
    ['under', { path: 'a' }, 'department under {"path":"a"}'],
    ['toString', 1, 'department toString 1'],
  ])('says of %s %j: %s', (operator, operand, words) => {
    expect(conditionInWords({ attribute: 'department', operator, operand })).toBe(words);
  });

  it('truncates long values, between characters', () => {
    expect(conditionInWords({ attribute: 'name', operator: 'eq', operand: '🦊'.repeat(500) })).toBe(
      `name is “${'🦊'.repeat(80)}…”`,
    );
  });

  it('describes an absent value as missing', () => {
    expect([valueInWords(null), valueInWords(undefined), valueInWords('x'), valueInWords(0)]).toEqual([
      'missing',
      'missing',
      '“x”',
      '0',
    ]);
  });
});

describe('a summary', () => {
  it('has a cause for every reason', () => {
    for (const reason of DECISION_REASONS) expect(causeOf({ reason })).toMatch(/\w.*\w\.$/);
  });

  it.each([
    ['allow', true, 'Ada was allowed to use gpt-4o of openai'],
    ['alert', true, 'Ada was allowed, with an alert, to use gpt-4o of openai'],
    ['block', false, 'Ada was refused gpt-4o of openai'],
    ['require_approval', false, 'Ada needs an approval to use gpt-4o of openai'],
  ] as const)('describes the outcome: %s', (action, allowed, words) => {
    expect(summaryOf(decision({ action, allowed })).split(':')[0]).toBe(words);
  });

  it('names the user by the known fields', () => {
    const { person } = decision();
    const named = (known: object) => summaryOf(decision({ person: { ...person, ...known } })).split(' was')[0];
    expect(named({})).toBe('Ada');
    expect(named({ name: null })).toBe('a@b');
    expect(named({ name: null, email: null })).toBe('u');
  });

  it('says why the first of several policies won: by its action, or else by its age', () => {
    const alone = causeOf({});
    expect(alone).toBe('the policy “Research only” (version 3) blocks it, because it applies to every person.');
    expect(causeOf({ policies: [policy(), policy({ action: 'alert' })], policies_total: 2 })).toMatch(
      /every person; another policy matched, too, and block wins over alert\.$/,
    );
    expect(causeOf({ policies: [policy(), policy(), policy({ action: 'alert' })], policies_total: 3 })).toMatch(
      /every person; it is the oldest policy with this action, and 2 other policies matched, too\.$/,
    );
  });

  it('counts the enabled policies if nothing matched', () => {
    const nothing = (total: number) =>
      causeOf({ reason: 'no_policy_matched', action: 'allow', policies: [], not_matched: { total, items: [] } });
    expect(nothing(0)).toBe('no policy was in force, and the default action is allow.');
    expect(nothing(1)).toBe('the one policy in force did not match, and the default action is allow.');
    expect(nothing(12)).toBe('none of the 12 policies in force matched, and the default action is allow.');
  });

  it('names every used-up budget', () => {
    const budgets = [
      { id: '1', name: 'Sales' },
      { id: '2', name: 'All' },
    ];
    expect(causeOf({ reason: 'budget_exceeded', budgets })).toBe('the budgets “Sales”, “All” would be exceeded.');
  });
});
