import { describe, expect, it } from '@jest/globals';
import { amountOf, draftFaults, fixedFaults, type BudgetDraft } from './budget-rules.js';

const ADA = '0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33';
const DRAFT: BudgetDraft = { name: 'All', scope: 'organization', amountUsd: 1, period: 'daily', enforcement: 'notify' };
const fieldsAtFault = (fields: object) => draftFaults({ ...DRAFT, ...fields }).map(({ field }) => field);

describe('the draft of a budget', () => {
  it.each<[string, object, string[]]>([
    ['needs no further field with the scope organization', {}, []],
    ['accepts null for a field that its scope does not need', { department: null, userId: null, model: null }, []],
    ['needs a department with the scope department', { scope: 'department' }, ['department']],
    ['needs a user with the scope user', { scope: 'user', userId: null }, ['user_id']],
    ['needs a model with the scope model', { scope: 'model' }, ['model']],
    ['applies to exactly one subject', { scope: 'user', userId: ADA, model: 'gpt-4o' }, ['model']],
    ['has no department with the scope organization', { department: 'Sales' }, ['department']],
    ['is refused with the names of missing and excess fields', { scope: 'model', userId: ADA }, ['user_id', 'model']],
    ['has a name that is not blank', { name: ' ' }, ['name']],
    ['has a name without NUL', { name: 'a\0' }, ['name']],
    [
      'has a known scope, period and enforcement',
      { scope: 'team', period: 'hourly', enforcement: 'stop' },
      ['scope', 'period', 'enforcement'],
    ],
    ['has a user id that is a UUID', { scope: 'user', userId: 'ada' }, ['user_id']],
    ['has a name and an amount', { name: undefined, amountUsd: undefined }, ['name', 'amount_usd']],
  ])('%s', (_rule, fields, expected) => {
    expect(fieldsAtFault(fields)).toEqual(expected);
  });

  it('counts the characters of a name as code points', () => {
    expect(fieldsAtFault({ name: '🦊'.repeat(255) })).toEqual([]);
    expect(fieldsAtFault({ name: '🦊'.repeat(256) })).toEqual(['name']);
  });
});

describe('the amount of a budget', () => {
  it.each<[unknown, bigint | undefined]>([
    [0, 0n],
    [-0, 0n],
    [0.1, 100_000_000_000n],
    [1e-12, 1n],
    [1e12, 10n ** 24n],
    [1e12 + 1, undefined],
    [1e-13, undefined],
    [0.1 + 0.2, undefined],
    [-1, undefined],
    [Number.NaN, undefined],
    [Number.POSITIVE_INFINITY, undefined],
    ['1', undefined],
    [null, undefined],
  ])('%p is exactly %p picodollars, or refused', (usd, expected) => {
    expect(amountOf(usd)).toBe(expected);
  });
});

describe('a change of a budget', () => {
  const about = { scope: 'user', department: null, userId: ADA, model: null, match: null, splitBy: null };
  const budget = { ...about, period: 'daily' };

  it('may repeat immutable fields', () => {
    const same = { scope: 'user', department: null, userId: ADA.toUpperCase(), period: 'daily' } as const;
    expect(fixedFaults(budget, same)).toEqual([]);
  });

  it('names each immutable field', () => {
    const other = { scope: 'department', department: 'Sales', userId: null, period: 'weekly' } as const;
    const faults = fixedFaults(budget, other);
    expect(faults.map(({ field }) => field)).toEqual(['scope', 'department', 'user_id', 'period']);
    expect(faults[0]?.message).toContain('make another budget');
  });
});
