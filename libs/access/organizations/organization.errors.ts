import { ForbiddenError, NotFoundError } from '#core';

/** No organization has this id. */
export class OrganizationNotFoundError extends NotFoundError {
  constructor(readonly orgId: string) {
    super(
      `There is no organization ${orgId}. Make it first: governance.ensureOrganization({ id, name }) in a host, or ` +
        '`nest-llm-governance org create`.',
    );
  }
}

/** The operator has suspended the organization. */
export class OrganizationSuspendedError extends ForbiddenError {
  constructor() {
    super(
      'This organization is suspended by the operator of this installation. All of its requests are refused until the ' +
        'operator resumes it.',
    );
  }
}
