import { describe, expect, it, jest } from '@jest/globals';
import { type DecidablePolicy, PolicyMatch } from '../decide/index.js';
import { presentMatches, toldConditions, withoutLongOperand } from './present-matches.js';

const condition = (operand: unknown) => ({ attribute: 'department', operator: 'not_in', operand, value: 'Sales' });
const isShown = (operand: unknown): boolean => 'operand' in withoutLongOperand(condition(operand));

/** A list of texts whose JSON has so many characters. */
const listOf = (characters: number): string[] => ['x'.repeat(996), 'x'.repeat(characters - 996 - 7)];

describe('the operand of a condition that is shown', () => {
  it('is left out where it is a list of more than 100 entries', () => {
    expect(isShown(Array(100).fill(1))).toBe(true);
    expect(isShown(Array(101).fill(1))).toBe(false);
  });

  it('is left out where its JSON has more than 2,000 characters, be it a list, an object or a text', () => {
    expect(JSON.stringify(listOf(2_000))).toHaveLength(2_000);
    expect([isShown(listOf(2_000)), isShown(listOf(2_001))]).toEqual([true, false]);
    expect([isShown({ a: 'x'.repeat(1_992) }), isShown({ a: 'x'.repeat(1_993) })]).toEqual([true, false]);
    expect([isShown('x'.repeat(1_998)), isShown('x'.repeat(1_999))]).toEqual([true, false]);
    expect([isShown('\u0001'.repeat(333)), isShown('\u0001'.repeat(334))]).toEqual([true, false]);
  });

  it('is measured once, however many decisions show it', () => {
    const operand = ['Research'];
    isShown(operand);
    const measured = jest.spyOn(JSON, 'stringify');
    isShown(operand);
    expect(measured).not.toHaveBeenCalled();
    measured.mockRestore();
  });
});

const LONG = 'x'.repeat(1_998);

/** A policy with so many operands of 2,000 characters. */
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
const operandsOf = (policies: readonly DecidablePolicy[]) =>
  presentMatches(policies.map(policy => matchOf(policy))).map(
    ({ matched_conditions: shown }) => shown.filter(condition => 'operand' in condition).length,
  );

describe('the policies of a decision', () => {
  it('are shown with operands of 64,000 characters in all; from the first that has no room on, without', () => {
    expect(operandsOf([policyWith(32)])).toEqual([32]);
    expect(operandsOf([policyWith(33), policyWith(1)])).toEqual([0, 0]);
    expect(operandsOf([policyWith(30), policyWith(2), policyWith(1)])).toEqual([30, 2, 0]);
    expect(operandsOf([policyWith(30), policyWith(3), policyWith(1)])).toEqual([30, 0, 0]);
  });

  it('name every condition and its value, also without operands', () => {
    const [shown] = presentMatches([matchOf(policyWith(33), 'a')]);
    expect(shown?.matched_conditions).toHaveLength(33);
    expect(shown?.matched_conditions[0]).toEqual({ attribute: 'attributes.k0', operator: 'not_eq', value: 'a' });
  });

  it('are told of by events with their operands, however many others there are', () => {
    const policy = policyWith(33);
    presentMatches([matchOf(policy)]);
    expect(toldConditions(matchOf(policy))).toContainEqual(expect.objectContaining({ operand: LONG }));
  });

  it('are shared by decisions in which they were met by the same values, and by no others', () => {
    const policy = policyWith(2);
    const [first, again, other] = ['a', 'a', 'b'].map(value => presentMatches([matchOf(policy, value)])[0]);
    expect(again).toBe(first);
    expect(other?.matched_conditions.map(({ value }) => value)).toEqual(['b', null]);
    expect(Object.isFrozen(first?.matched_conditions[0])).toBe(true);
  });
});
