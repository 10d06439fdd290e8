import { attributeNamed, comparable, type DecisionRequest, type DecisionSubject } from './attributes.js';
import type { PresentValue } from './condition-operator.port.js';
import { validateConditions } from './conditions.js';
import type { DecidablePolicy } from './decidable-policy.js';
import { fitsModel } from './model-pattern.js';
import type { OperatorRegistry } from './operator-registry.js';
import type { MatchedCondition } from './policy-match.js';

/** One condition of a policy, with its result for a request. */
export interface ExaminedCondition extends MatchedCondition {
  /** Whether the condition matches; undefined if its operator is no longer installed. */
  readonly held: boolean | undefined;
}

/** The result of each part of a policy for a request. */
export interface Examination {
  readonly fitsModel: boolean;
  /** Every condition, in the order of the policy. */
  readonly conditions: readonly ExaminedCondition[];
}

/**
 * Evaluates every part of one policy for a request, to explain a decision. A policy matches if the model and all
 * conditions match. The result is the same as that of `decide`, but without an index, and also for disabled policies.
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
  // The value is neither null nor undefined, so it is present. The operator checks the type of the value.
  return operator.compile(wanted)(comparable(attribute, value) as PresentValue);
}
