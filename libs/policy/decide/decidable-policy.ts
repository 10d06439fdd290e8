import { UnavailableError, type FieldError } from '#core';
import type { PolicyAction, Severity } from './action.js';
import type { Conditions } from './conditions.js';

/**
 * The data of a policy that the engine needs. A stored policy or a draft can be passed directly. Do not change it
 * afterwards.
 */
export interface DecidablePolicy {
  readonly id: string;
  readonly name: string;
  /** A name, a pattern in which `*` is any run of characters, or null for all models. Compared exactly. */
  readonly model: string | null;
  readonly action: PolicyAction;
  /** Left out, null or `{}`: everybody. */
  readonly conditions?: Conditions | null;
  readonly enabled: boolean;
  readonly version: number;
  /** Severity of its violations. Default: `high` for block, `medium` for alert. */
  readonly severity?: Severity | null;
  /** Orders matches of equal precedence, oldest first. A policy without it comes last. */
  readonly createdAt?: Date | null;
}

/** A stored policy cannot be evaluated any more, usually because the host removed an operator. */
export class PolicyNotCompilableError extends UnavailableError {
  constructor(policy: DecidablePolicy, faults: FieldError[]) {
    const [first] = faults;
    super(
      `policy ${policy.id} (${policy.name}) cannot be evaluated: ${first?.field}: ${first?.message}; register the operator or change the policy`,
      faults,
    );
  }
}
