import type { Severity } from './action.js';
import { attributeNamed, type DecisionRequest, type DecisionSubject } from './attributes.js';
import type { DecidablePolicy } from './decidable-policy.js';

/** One condition that held, with the value that met it. */
export interface MatchedCondition {
  readonly attribute: string;
  readonly operator: string;
  /** As it stands in the policy. */
  readonly operand: unknown;
  /** As the directory or the request had it; null when it was missing. */
  readonly value: unknown;
}

/** One policy that matched. */
export class PolicyMatch {
  constructor(
    readonly policy: DecidablePolicy,
    private readonly subject: DecisionSubject,
    private readonly request: DecisionRequest,
  ) {}

  /**
   * Why it matched: all its conditions, in the policy's order; empty when it has none. Made when asked for, from the
   * subject and the request of the decision, which must not have changed in between.
   */
  get matchedConditions(): MatchedCondition[] {
    return Object.entries(this.policy.conditions ?? {}).flatMap(([attribute, tests]) => {
      const value = attributeNamed(attribute)?.read(this.subject, this.request) ?? null;
      return Object.entries(tests).map(([operator, operand]) => ({ attribute, operator, operand, value }));
    });
  }

  /** Whether conditions of the same policy were met by the very same values, so that they say all of this match, too. */
  hasSeen(conditions: readonly Pick<MatchedCondition, 'attribute' | 'value'>[]): boolean {
    for (const { attribute, value } of conditions) {
      if (!Object.is(attributeNamed(attribute)?.read(this.subject, this.request) ?? null, value)) return false;
    }
    return true;
  }
}

/** A match of an `alert` or `block` policy. */
export class PolicyViolation extends PolicyMatch {
  constructor(
    policy: DecidablePolicy,
    subject: DecisionSubject,
    request: DecisionRequest,
    readonly severity: Severity,
  ) {
    super(policy, subject, request);
  }
}
