import { NotFoundError } from '#core';

/** The organization has no such version of a policy. */
export class PolicyVersionNotFoundError extends NotFoundError {
  constructor(policyId: string, version: number) {
    super(`There is no version ${version} of a policy ${policyId} in your organization.`);
  }
}
