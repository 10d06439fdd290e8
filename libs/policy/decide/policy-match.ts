import type { Severity } from './action.js';
import { attributeNamed, type DecisionRequest, type DecisionSubject } from './attributes.js';
import type { DecidablePolicy } from './decidable-policy.js';

/** A condition that matched, with the value to which it was compared. */
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
   * All conditions of the match, in the policy's order; empty if the policy has none. Computed on first use from the
   * subject and the request of the decision. Do not change either before that.
   */
  get matchedConditions(): MatchedCondition[] {
    return Object.entries(this.policy.conditions ?? {}).flatMap(([attribute, tests]) => {
      const value = attributeNamed(attribute)?.read(this.subject, this.request) ?? null;
      return Object.entries(tests).map(([operator, operand]) => ({ attribute, operator, operand, value }));
    });
  }

  /**
   * Whether the given conditions of the same policy matched the same values. They can then be reused for this match.
   */
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
