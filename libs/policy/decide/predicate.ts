import type { ConditionOperator, OperandIndex, PresentValue } from './condition-operator.port.js';

/** The requirement of one policy, or of several policies with equal requirements, on one attribute. */
export interface Predicate {
  test(value: PresentValue): boolean;
  readonly whenMissing: boolean;
  /**
   * The only values for which `test` may return another result than `otherwise`. Undefined if these values are unknown;
   * `test` must then be called.
   */
  readonly named: readonly (string | number | boolean)[] | undefined;
  readonly otherwise: boolean;
}

/** The predicate of one operator and operand, and whether the index may contain it. */
export function predicateOf(operator: ConditionOperator, operand: unknown): { predicate: Predicate; indexed: boolean } {
  const index: OperandIndex | undefined = operator.index?.(operand);
  const byValue = index?.kind === 'values' ? index : undefined;
  const predicate = {
    test: operator.compile(operand),
    whenMissing: operator.matchesMissing(operand),
    named: byValue?.values,
    otherwise: byValue ? !byValue.matches : false,
  };
  return { predicate, indexed: index !== undefined };
}

/** A predicate that is true if all given predicates are true. */
export function allOf(predicates: readonly Predicate[]): Predicate {
  const [only] = predicates;
  if (only && predicates.length === 1) return only;
  const lists = predicates.map(({ named }) => named);
  return {
    test: value => predicates.every(predicate => predicate.test(value)),
    whenMissing: predicates.every(({ whenMissing }) => whenMissing),
    named: lists.includes(undefined) ? undefined : lists.flatMap(list => list ?? []),
    otherwise: predicates.every(({ otherwise }) => otherwise),
  };
}
