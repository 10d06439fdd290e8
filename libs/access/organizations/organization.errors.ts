import { NotFoundError } from '#core';

/** No organization has this id. */
export class OrganizationNotFoundError extends NotFoundError {
  constructor(readonly orgId: string) {
    super(
      `There is no organization ${orgId}. Make it first: governance.ensureOrganization({ id, name }) in a host, or ` +
        '`nest-llm-governance org create`.',
    );
  }
}
