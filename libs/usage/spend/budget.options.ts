/** How requests are reserved in budgets that block. */
export interface BudgetOptions {
  /** Prompt tokens of a request that does not say how many it has. Default: 1,000. */
  assumedInputTokens?: number;
  /** Tokens of an answer to a request that does not say how long it may be. Default: 1,000. */
  assumedOutputTokens?: number;
  /** Minutes after which what a decision holds is given back unless its usage was reported. Default: 15. */
  reservationMinutes?: number;
}

/** Injection token of {@link BudgetOptions}. */
export const BUDGET_OPTIONS = Symbol('governance.budget-options');

const DEFAULTS: Required<BudgetOptions> = {
  assumedInputTokens: 1_000,
  assumedOutputTokens: 1_000,
  reservationMinutes: 15,
};
const MOST = { assumedInputTokens: 1e9, assumedOutputTokens: 1e9, reservationMinutes: 7 * 24 * 60 };
const LEAST = { assumedInputTokens: 0, assumedOutputTokens: 0, reservationMinutes: 1 };

/** A number of the options. @throws Error where it is not a whole one in its range */
export function budgetOption(options: BudgetOptions, name: keyof BudgetOptions): number {
  const value = options[name] ?? DEFAULTS[name];
  if (Number.isInteger(value) && value >= LEAST[name] && value <= MOST[name]) return value;
  throw new Error(`budgets.${name}: must be a whole number from ${LEAST[name]} to ${MOST[name]}, and is ${value}`);
}
