import { ConflictError, NotFoundError } from '#core';

/** Most providers of one organization. */
export const PROVIDERS_MAX = 100;

/** The organization has no provider of that name. */
export class ProviderNotFoundError extends NotFoundError {
  constructor() {
    super('There is no provider of this name in your organization.');
  }
}

/** The organization has as many providers as it may have. */
export class TooManyProvidersError extends ConflictError {
  constructor() {
    super(`Your organization has ${PROVIDERS_MAX} providers, the maximum; delete unused ones.`);
  }
}
