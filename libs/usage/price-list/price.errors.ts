import { ConflictError, NotFoundError } from '#core';

/** Maximum number of price list entries of one organization, because every replica keeps them in memory. */
export const PRICES_MAX = 10_000;

/** The organization has no price list entry with this id. */
export class PriceNotFoundError extends NotFoundError {
  constructor(id: string) {
    super(`There is no price ${id} in your organization.`);
  }
}

/** The organization has the maximum number of price list entries. */
export class TooManyPricesError extends ConflictError {
  constructor() {
    super(
      `Your organization has ${PRICES_MAX} prices, the maximum; delete some, or let one pattern name several models.`,
    );
  }
}
