import { deepEqual, equal, ok } from 'node:assert/strict';
import type { ConditionOperator, PresentValue } from '#policy';
import { casesOf, type Closable, type ContractCase } from './contract-case.js';

/** A valid operand, with attribute values that match it and values that do not. */
export interface OperatorExample<Operand> {
  readonly operand: Operand;
  readonly matches: readonly PresentValue[];
  readonly differs: readonly PresentValue[];
  /** Whether a condition matches when the attribute is missing. Default: false. */
  readonly matchesMissing?: boolean;
}

/** A condition operator under test. Created for each case. */
export interface ConditionOperatorGround<Operand> extends Closable {
  readonly operator: ConditionOperator<Operand>;
  readonly examples: readonly OperatorExample<Operand>[];
  /** Operands that the operator must reject. */
  readonly refused: readonly unknown[];
}

type Rule = <Operand>(ground: ConditionOperatorGround<Operand>) => void;

const ODD_VALUES: readonly PresentValue[] = [
  '',
  'x'.repeat(10_000),
  0,
  -1,
  Number.MAX_VALUE,
  true,
  false,
  [],
  {},
  [[1]],
];
const ODD_OPERANDS: readonly unknown[] = [undefined, null, '', 0, true, [], {}, [null], { a: 1 }, 'x'.repeat(10_000)];

const RULES: Record<string, Rule> = {
  'has a name that is valid in conditions'({ operator }) {
    ok(/^[a-z][a-z0-9_]{0,63}$/.test(operator.name), operator.name);
  },
  'accepts the operands of its examples'({ operator, examples }) {
    ok(examples.length > 0, 'the ground has an example');
    for (const { operand } of examples) deepEqual(messagesOf(operator.validateOperand(operand)), []);
  },
  'refuses other operands with a message that names the defect'({ operator, refused }) {
    for (const operand of refused) {
      const messages = messagesOf(operator.validateOperand(operand));
      ok(messages.length > 0, `${JSON.stringify(operand)} is refused`);
      ok(
        messages.every(message => message.trim() !== ''),
        'each fault has a message',
      );
    }
  },
  'throws for no operand'({ operator }) {
    for (const operand of ODD_OPERANDS) operator.validateOperand(operand);
  },
  'matches as its examples state, on each call'({ operator, examples }) {
    for (const { operand, matches, differs } of examples) {
      const test = operator.compile(operand);
      for (let time = 0; time < 2; time++) {
        for (const value of matches) equal(test(value), true, `${JSON.stringify(value)} matches`);
        for (const value of differs) equal(test(value), false, `${JSON.stringify(value)} differs`);
      }
    }
  },
  'returns true or false for any value, and never throws'({ operator, examples }) {
    for (const { operand } of examples) {
      const test = operator.compile(operand);
      for (const value of ODD_VALUES) equal(typeof test(value), 'boolean');
    }
  },
  'states whether a missing attribute matches'({ operator, examples }) {
    for (const { operand, matchesMissing = false } of examples) equal(operator.matchesMissing(operand), matchesMissing);
  },
  'has an index that agrees with its test'({ operator, examples }) {
    for (const { operand, matches, differs } of examples) {
      const index = operator.index?.(operand);
      if (index?.kind !== 'values') continue;
      const test = operator.compile(operand);
      for (const value of [...matches, ...differs, ...ODD_VALUES]) {
        const isListed = index.values.some(each => each === value);
        equal(test(value), isListed === index.matches, `${JSON.stringify(value)} by the index`);
      }
    }
  },
};

/** The faults of an operand, as texts; empty if the operand is valid. */
function messagesOf(fault: ReturnType<ConditionOperator['validateOperand']>): string[] {
  if (typeof fault === 'string') return [fault];
  return (fault ?? []).map(({ message }) => message);
}

/**
 * The contract of `ConditionOperator`: the cases that every operator must pass. `makeGround` is called for each case.
 */
export function conditionOperatorContract<Operand>(
  makeGround: () => Promise<ConditionOperatorGround<Operand>> | ConditionOperatorGround<Operand>,
): readonly ContractCase[] {
  return casesOf<ConditionOperatorGround<Operand>>(RULES, makeGround);
}
