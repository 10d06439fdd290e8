import { UnavailableError, type FieldError } from '#core';
import type { PolicyAction, Severity } from './action.js';
import type { Conditions } from './conditions.js';

/**
 * The data of a policy that the engine needs. A stored policy or a draft can be passed directly. Do not change it after
 * the compilation.
 */
export interface DecidablePolicy {
  readonly id: string;
  readonly name: string;
  /** The name of a model, a pattern in which `*` matches any characters, or null for all models. Case-sensitive. */
  readonly model: string | null;
  readonly action: PolicyAction;
  /** If it is missing, null or `{}`, the policy matches every person. */
  readonly conditions?: Conditions | null;
  readonly enabled: boolean;
  readonly version: number;
  /** Severity of the policy's violations. Default: `high` for block, `medium` for alert. */
  readonly severity?: Severity | null;
  /**
   * Time of the creation. Matches of equal precedence are ordered by it, oldest first. A policy without it comes last.
   */
  readonly createdAt?: Date | null;
}

/** A stored policy can no longer be evaluated, usually because the host removed an operator. */
export class PolicyNotCompilableError extends UnavailableError {
  constructor(policy: DecidablePolicy, faults: FieldError[]) {
    const [first] = faults;
    super(
      `policy ${policy.id} (${policy.name}) cannot be evaluated: ${first?.field}: ${first?.message}; register the operator or change the policy`,
      faults,
    );
  }
}
