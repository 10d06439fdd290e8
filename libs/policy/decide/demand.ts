import {
  attributeNamed,
  comparable,
  type Attribute,
  type DecisionRequest,
  type DecisionSubject,
} from './attributes.js';
import { validateConditions } from './conditions.js';
import { PolicyNotCompilableError, type DecidablePolicy } from './decidable-policy.js';
import { compileModelPattern, isModelPattern } from './model-pattern.js';
import type { OperatorRegistry } from './operator-registry.js';
import { allOf, predicateOf, type Predicate } from './predicate.js';

/**
 * A requirement on one attribute. Policies with the same requirement share one demand, which is evaluated only once.
 */
export interface Demand {
  readonly attribute: Attribute;
  readonly predicate: Predicate;
  /**
   * Whether the index may evaluate the demand. If not, the demand is evaluated for the candidates that the index
   * returns.
   */
  readonly indexed: boolean;
}

const MODEL: Attribute = { name: 'model', caseless: false, read: (_subject, { model }) => model };
const ANY_MODEL = /^\*+$/;

/** Converts policies to demands. Each distinct demand is created and checked once. Used for one compilation. */
export class PendingReservations {
  private readonly known = new Map<string, readonly Demand[]>();

  constructor(private readonly operators: OperatorRegistry) {}

  /** @throws PolicyNotCompilableError if the policy's conditions are invalid */
  demandsOf(policy: DecidablePolicy): Demand[] {
    const demands = policy.model === null || ANY_MODEL.test(policy.model) ? [] : [...this.modelDemand(policy.model)];
    for (const [name, tests] of Object.entries(policy.conditions ?? {})) {
      const key = `${name}\n${JSON.stringify(tests)}`;
      let attributeDemands = this.known.get(key);
      if (!attributeDemands) {
        const faults = validateConditions({ [name]: tests }, this.operators);
        if (faults.length > 0) throw new PolicyNotCompilableError(policy, faults);
        attributeDemands = this.attributeDemands(name, tests);
        this.known.set(key, attributeDemands);
      }
      demands.push(...attributeDemands);
    }
    return demands;
  }

  private modelDemand(model: string): readonly Demand[] {
    const key = JSON.stringify(model);
    const known = this.known.get(key);
    if (known) return known;
    const matches: (name: unknown) => boolean = isModelPattern(model)
      ? asTextTest(compileModelPattern(model))
      : name => name === model;
    const named = isModelPattern(model) ? undefined : [model];
    const predicate = { test: matches, whenMissing: false, named, otherwise: false };
    const demand = [{ attribute: MODEL, predicate, indexed: true }];
    this.known.set(key, demand);
    return demand;
  }

  private attributeDemands(name: string, tests: Readonly<Record<string, unknown>>): Demand[] {
    const attribute = attributeNamed(name);
    if (!attribute) return [];
    const made = Object.entries(tests).flatMap(([operatorName, operand]) => {
      const operator = this.operators.get(operatorName);
      return operator ? [predicateOf(operator, comparable(attribute, operand))] : [];
    });
    return [true, false].flatMap(indexed => {
      const predicates = made.filter(one => one.indexed === indexed).map(({ predicate }) => predicate);
      return predicates.length > 0 ? [{ attribute, predicate: allOf(predicates), indexed }] : [];
    });
  }
}

/** Returns a function that tests all demands for a subject and a request, without an index. */
export function testAll(demands: readonly Demand[]): (subject: DecisionSubject, request: DecisionRequest) => boolean {
  return (subject, request) =>
    demands.every(({ attribute, predicate }) => {
      const value = comparable(attribute, attribute.read(subject, request));
      // The attribute is present if its value is neither null nor undefined. The operator checks the type of the value.
      return value === null || value === undefined ? predicate.whenMissing : predicate.test(value);
    });
}

function asTextTest(test: (text: string) => boolean): (value: unknown) => boolean {
  return value => typeof value === 'string' && test(value);
}
