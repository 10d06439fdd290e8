import { NotFoundError } from '#core';

/** The organization has no group with this id. */
export class ScimGroupNotFoundError extends NotFoundError {
  constructor() {
    super('There is no group with this id in your organization.');
  }
}
