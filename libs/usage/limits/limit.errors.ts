import { BadRequestError, ConflictError, NotFoundError } from '#core';

/** Most limits of one organization; every replica keeps them in memory. */
export const LIMITS_MAX = 10_000;

/** The organization has no limit of that id. */
export class LimitNotFoundError extends NotFoundError {
  constructor(id: string) {
    super(`There is no limit ${id} in your organization.`);
  }
}

/** The organization has as many limits as it may have. */
export class TooManyLimitsError extends ConflictError {
  constructor() {
    super(`Your organization has ${LIMITS_MAX} limits, the maximum; delete some, or split one.`);
  }
}

/** A limit that would limit nothing. */
export function nothingLimited(): BadRequestError {
  return BadRequestError.field(
    'requests_per_minute',
    'or another number must stay: to limit nothing, delete the limit',
  );
}
