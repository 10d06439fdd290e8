import { ConflictError, NotFoundError } from '#core';

/** Most budgets of one organization; every replica keeps them in memory. */
export const BUDGETS_MAX = 10_000;

/** The organization has no budget of that id. */
export class BudgetNotFoundError extends NotFoundError {
  constructor(id: string) {
    super(`There is no budget ${id} in your organization.`);
  }
}

/** Only budgets that are split have parts. */
export class BudgetNotSplitError extends ConflictError {
  constructor() {
    super('This budget is not split: it has no parts, and no amount of their own for any. Make one with split_by.');
  }
}

/** The organization has as many budgets as it may have. */
export class TooManyBudgetsError extends ConflictError {
  constructor() {
    super(
      `Your organization has ${BUDGETS_MAX} budgets, the maximum; delete some, or let one department or model pattern cover several.`,
    );
  }
}
