import { NotFoundError } from '#core';

/** There is no such group in the organization. */
export class ScimGroupNotFoundError extends NotFoundError {
  constructor() {
    super('There is no group with this id in your organization.');
  }
}
