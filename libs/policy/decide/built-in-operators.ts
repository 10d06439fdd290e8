import type { ConditionOperator, OperandFault } from './condition-operator.port.js';

type Scalar = string | number | boolean | null;
type Operator<Operand> = ConditionOperator<Operand>;

const never = () => false;
const always = () => true;
const scan = () => ({ kind: 'scan' }) as const;

function stringsOnly(operand: unknown): string | OperandFault[] | undefined {
  if (!Array.isArray(operand)) return 'must be an array of strings';
  return operand.flatMap((entry, at) =>
    typeof entry === 'string' ? [] : [{ at: `[${at}]`, message: 'must be a string' }],
  );
}

function scalarOnly(operand: unknown): string | undefined {
  const fits = operand === null || ['string', 'number', 'boolean'].includes(typeof operand);
  return fits ? undefined : 'must be a string, a number, a boolean or null';
}

const typed = (type: 'string' | 'number' | 'boolean') => (operand: unknown) =>
  typeof operand === type ? undefined : `must be a ${type}`;

function membership(name: string, inside: boolean): Operator<string[]> {
  return {
    name,
    validateOperand: stringsOnly,
    compile: operand => {
      const set = new Set<unknown>(operand);
      return value => set.has(value) === inside;
    },
    matchesMissing: inside ? never : always,
    index: operand => ({ kind: 'values', values: operand, matches: inside }),
  };
}

function equality(name: string, equal: boolean): Operator<Scalar> {
  return {
    name,
    validateOperand: scalarOnly,
    compile: operand => value => (value === operand) === equal,
    matchesMissing: equal ? never : always,
    index: operand => ({ kind: 'values', values: operand === null ? [] : [operand], matches: equal }),
  };
}

function text(name: string, test: (value: string, operand: string) => boolean): Operator<string> {
  return {
    name,
    validateOperand: typed('string'),
    compile: operand => value => typeof value === 'string' && test(value, operand),
    matchesMissing: never,
    index: scan,
  };
}

function order(name: string, test: (value: number, operand: number) => boolean): Operator<number> {
  return {
    name,
    validateOperand: typed('number'),
    compile: operand => value => typeof value === 'number' && test(value, operand),
    matchesMissing: never,
    index: scan,
  };
}

const exists: Operator<boolean> = {
  name: 'exists',
  validateOperand: typed('boolean'),
  compile: operand => () => operand,
  matchesMissing: operand => !operand,
  index: operand => ({ kind: 'values', values: [], matches: !operand }),
};

/**
 * The operators of every installation. Comparison is exact: type, case and Unicode form must be equal. A missing or
 * null attribute equals no value and is in no list. `not_in`, `not_eq` and `exists: false` therefore match it, and all
 * other operators do not. `eq: null` never matches, and `not_eq: null` always matches. To test whether an attribute is
 * present, use `exists`.
 */
export const BUILT_IN_OPERATORS: readonly ConditionOperator[] = [
  membership('in', true),
  membership('not_in', false),
  equality('eq', true),
  equality('not_eq', false),
  text('starts_with', (value, operand) => value.startsWith(operand)),
  text('ends_with', (value, operand) => value.endsWith(operand)),
  exists,
  order('gt', (value, operand) => value > operand),
  order('gte', (value, operand) => value >= operand),
  order('lt', (value, operand) => value < operand),
  order('lte', (value, operand) => value <= operand),
];
