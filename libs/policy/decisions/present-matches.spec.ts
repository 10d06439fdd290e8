import { describe, expect, it, jest } from '@jest/globals';
import { withoutLongOperand } from './present-matches.js';

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
