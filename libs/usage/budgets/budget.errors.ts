import { ConflictError, NotFoundError } from '#core';

/** Maximum number of budgets per organization, because every replica keeps them in memory. */
export const BUDGETS_MAX = 10_000;

/** The organization has no budget with this id. */
export class BudgetNotFoundError extends NotFoundError {
  constructor(id: string) {
    super(`There is no budget ${id} in your organization.`);
  }
}

/** Only a split budget has parts. */
export class BudgetNotSplitError extends ConflictError {
  constructor() {
    super('This budget is not split, so it has no parts. To have parts, create a budget with split_by.');
  }
}

/** The organization has reached {@link BUDGETS_MAX}. */
export class TooManyBudgetsError extends ConflictError {
  constructor() {
    super(
      `Your organization has ${BUDGETS_MAX} budgets, the maximum; delete some, or let one department or model pattern cover several.`,
    );
  }
}
