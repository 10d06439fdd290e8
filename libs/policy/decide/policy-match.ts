import type { Severity } from './action.js';
import { attributeNamed, type DecisionRequest, type DecisionSubject } from './attributes.js';
import type { DecidablePolicy } from './decidable-policy.js';

/** One condition that matched, with the value that it was compared with. */
export interface MatchedCondition {
  readonly attribute: string;
  readonly operator: string;
  /** The operand in the policy. */
  readonly operand: unknown;
  /** The value from the directory or the request; null if it was missing. */
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
   * All conditions that matched, in the policy's order; empty if it has none. Computed on first use from the subject
   * and the request of the decision, so do not change either before that.
   */
  get matchedConditions(): MatchedCondition[] {
    return Object.entries(this.policy.conditions ?? {}).flatMap(([attribute, tests]) => {
      const value = attributeNamed(attribute)?.read(this.subject, this.request) ?? null;
      return Object.entries(tests).map(([operator, operand]) => ({ attribute, operator, operand, value }));
    });
  }

  /** Whether the conditions of the same policy matched the same values, so that they can be reused for this match. */
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
