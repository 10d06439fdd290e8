import { attributeNamed, comparable, type DecisionRequest, type DecisionSubject } from './attributes.js';
import type { PresentValue } from './condition-operator.port.js';
import { validateConditions } from './conditions.js';
import type { DecidablePolicy } from './decidable-policy.js';
import { fitsModel } from './model-pattern.js';
import type { OperatorRegistry } from './operator-registry.js';
import type { MatchedCondition } from './policy-match.js';

/** One condition of a policy, put to a request. */
export interface ExaminedCondition extends MatchedCondition {
  /** Whether it holds; undefined where it cannot be evaluated, because its operator is gone. */
  readonly held: boolean | undefined;
}

/** A policy, put to a request part by part. */
export interface Examination {
  readonly fitsModel: boolean;
  /** Every condition in the policy's order. */
  readonly conditions: readonly ExaminedCondition[];
}

/**
 * Puts one policy to a request and tells what holds and what does not, for people who ask why. A policy matches where
 * the model fits and all conditions hold: the same as `decide`, without an index, and also for disabled policies.
 */
export function examine(
  { model, conditions }: Pick<DecidablePolicy, 'model' | 'conditions'>,
  subject: DecisionSubject,
  request: DecisionRequest,
  operators: OperatorRegistry,
): Examination {
  const examined = Object.entries(conditions ?? {}).flatMap(([attribute, tests]) => {
    const value = attributeNamed(attribute)?.read(subject, request) ?? null;
    return Object.entries(tests).map(([operator, operand]): ExaminedCondition => {
      const held = holds(operators, attribute, operator, operand, value);
      return { attribute, operator, operand, value, held };
    });
  });
  return { fitsModel: fitsModel(model, request.model), conditions: examined };
}

function holds(
  operators: OperatorRegistry,
  attributeName: string,
  operatorName: string,
  operand: unknown,
  value: unknown,
): boolean | undefined {
  const attribute = attributeNamed(attributeName);
  const operator = operators.get(operatorName);
  const isEvaluable = validateConditions({ [attributeName]: { [operatorName]: operand } }, operators).length === 0;
  if (!attribute || !operator || !isEvaluable) return undefined;
  const wanted = comparable(attribute, operand);
  if (value === null || value === undefined) return operator.matchesMissing(wanted);
  // Neither null nor undefined, so present; what kind of value it is, the operator checks.
  return operator.compile(wanted)(comparable(attribute, value) as PresentValue);
}
