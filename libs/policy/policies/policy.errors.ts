import { ConflictError, NotFoundError } from '#core';

/**
 * Maximum number of policies of one organization. So many policies compile in well under 100 ms, and their index takes
 * a few megabytes.
 */
export const POLICIES_MAX = 10_000;

/** The organization has no policy with this id. */
export class PolicyNotFoundError extends NotFoundError {
  constructor(id: string) {
    super(`There is no policy ${id} in your organization.`);
  }
}

/** The organization has the maximum number of policies. */
export class TooManyPoliciesError extends ConflictError {
  constructor() {
    super(
      `Your organization has ${POLICIES_MAX} policies, the maximum; delete some, or list several values in one policy.`,
    );
  }
}

/** The policy has no version with this number in its history. */
export class PolicyVersionNotFoundError extends NotFoundError {
  constructor(policyId: string, version: number) {
    super(`There is no version ${version} of a policy ${policyId} in your organization.`);
  }
}
