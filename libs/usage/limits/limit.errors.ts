import { BadRequestError, ConflictError, NotFoundError } from '#core';

/** Maximum number of limits per organization, because every replica keeps them in memory. */
export const LIMITS_MAX = 10_000;

/** The organization has no limit with this id. */
export class LimitNotFoundError extends NotFoundError {
  constructor(id: string) {
    super(`There is no limit ${id} in your organization.`);
  }
}

/** The organization has reached {@link LIMITS_MAX}. */
export class TooManyLimitsError extends ConflictError {
  constructor() {
    super(`Your organization has ${LIMITS_MAX} limits, the maximum; delete some, or split one.`);
  }
}

/** A limit must have at least one number. */
export function nothingLimited(): BadRequestError {
  return BadRequestError.field('requests_per_minute', 'or another number must remain; to remove the limit, delete it');
}
