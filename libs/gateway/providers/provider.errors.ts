import { ConflictError, NotFoundError } from '#core';

/** Maximum number of providers per organization. */
export const PROVIDERS_MAX = 100;

/** The organization has no provider of that name. */
export class ProviderNotFoundError extends NotFoundError {
  constructor() {
    super('There is no provider of this name in your organization.');
  }
}

/** The organization has the maximum number of providers. */
export class TooManyProvidersError extends ConflictError {
  constructor() {
    super(`Your organization has ${PROVIDERS_MAX} providers, the maximum; delete unused ones.`);
  }
}
