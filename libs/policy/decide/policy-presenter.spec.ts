import { describe, expect, it, jest } from '@jest/globals';
import { type DecidablePolicy, PolicyMatch } from './index.js';
import { PolicyPresenter, withoutLongOperand, type MatchedPolicy } from './policy-presenter.js';

const condition = (operand: unknown) => ({ attribute: 'department', operator: 'not_in', operand, value: 'Sales' });
const isShown = (operand: unknown): boolean => 'operand' in withoutLongOperand(condition(operand));

/** A list of texts. Its JSON has this many characters. */
const listOf = (characters: number): string[] => ['x'.repeat(996), 'x'.repeat(characters - 996 - 7)];

describe('the shown operand of a condition', () => {
  it('is left out if it is a list of more than 100 entries', () => {
    expect(isShown(Array(100).fill(1))).toBe(true);
    expect(isShown(Array(101).fill(1))).toBe(false);
  });

  it('is left out if its JSON has more than 2,000 characters, whether list, object or text', () => {
    expect(JSON.stringify(listOf(2_000))).toHaveLength(2_000);
    expect([isShown(listOf(2_000)), isShown(listOf(2_001))]).toEqual([true, false]);
    expect([isShown({ a: 'x'.repeat(1_992) }), isShown({ a: 'x'.repeat(1_993) })]).toEqual([true, false]);
    expect([isShown('x'.repeat(1_998)), isShown('x'.repeat(1_999))]).toEqual([true, false]);
    expect([isShown('\u0001'.repeat(333)), isShown('\u0001'.repeat(334))]).toEqual([true, false]);
  });
});

const LONG = 'x'.repeat(1_998);

/** A policy with this many operands. Each has 2,000 characters. */
function policyWith(operands: number): DecidablePolicy {
  const tests = Array.from({ length: operands }, (_, at) => [`attributes.k${at}`, { not_eq: LONG }] as const);
  return {
    id: 'p',
    name: 'p',
    model: null,
    action: 'block',
    conditions: Object.fromEntries(tests),
    enabled: true,
    version: 1,
  };
}

const matchOf = (policy: DecidablePolicy, k0?: string) =>
  new PolicyMatch(policy, { attributes: { k0 } }, { model: 'm' });
const present = (matches: readonly PolicyMatch[], presenter = new PolicyPresenter()): readonly MatchedPolicy[] =>
  presenter.present(matches).policies;
const operandsOf = (policies: readonly DecidablePolicy[]) =>
  present(policies.map(policy => matchOf(policy))).map(
    ({ matched_conditions: shown }) => shown.filter(condition => 'operand' in condition).length,
  );

describe('the policies of a decision', () => {
  it('are shown with operands of at most 64,000 characters in total; the first one that exceeds it and all later ones have none', () => {
    expect(operandsOf([policyWith(32)])).toEqual([32]);
    expect(operandsOf([policyWith(33), policyWith(1)])).toEqual([0, 0]);
    expect(operandsOf([policyWith(30), policyWith(2), policyWith(1)])).toEqual([30, 2, 0]);
    expect(operandsOf([policyWith(30), policyWith(3), policyWith(1)])).toEqual([30, 0, 0]);
  });

  it('name every condition and its value, even without operands', () => {
    const [shown] = present([matchOf(policyWith(33), 'a')]);
    expect(shown?.matched_conditions).toHaveLength(33);
    expect(shown?.matched_conditions[0]).toEqual({ attribute: 'attributes.k0', operator: 'not_eq', value: 'a' });
  });

  it('are in events with their operands, whatever the number of others', () => {
    const policy = policyWith(33);
    const presenter = new PolicyPresenter();
    presenter.present([matchOf(policy)]);
    expect(presenter.told(matchOf(policy))).toContainEqual(expect.objectContaining({ operand: LONG }));
  });

  it('are shared by decisions with the same matched values, and by no others', () => {
    const policy = policyWith(2);
    const presenter = new PolicyPresenter();
    const [first, again, other] = ['a', 'a', 'b'].map(value => present([matchOf(policy, value)], presenter)[0]);
    expect(again).toBe(first);
    expect(other?.matched_conditions.map(({ value }) => value)).toEqual(['b', null]);
    expect(Object.isFrozen(first?.matched_conditions[0])).toBe(true);
  });

  it('have in events the values of the requested match', () => {
    const policy = policyWith(2);
    const presenter = new PolicyPresenter();
    const valuesOf = (value: string) => presenter.told(matchOf(policy, value));
    expect(valuesOf('a')).toContainEqual(expect.objectContaining({ value: 'a' }));
    expect(valuesOf('b')).toContainEqual(expect.objectContaining({ value: 'b' }));
  });

  it('have their operands measured once, whatever the matched values', () => {
    const operand = ['Research'];
    const policy: DecidablePolicy = { ...policyWith(0), conditions: { 'attributes.k0': { not_in: operand } } };
    const presenter = new PolicyPresenter();
    presenter.present([matchOf(policy, 'a')]);
    const measured = jest.spyOn(JSON, 'stringify');
    presenter.present([matchOf(policy, 'b')]);
    expect(measured).not.toHaveBeenCalled();
    measured.mockRestore();
  });
});
