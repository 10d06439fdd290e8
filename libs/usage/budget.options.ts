import { option } from '#core';

/** Options of the reservations in blocking budgets. */
export interface BudgetOptions {
  /** Input tokens assumed for a request that does not state a number. Default: 1,000. */
  assumedInputTokens?: number;
  /** Output tokens assumed for a request that does not state a maximum. Default: 1,000. */
  assumedOutputTokens?: number;
  /** Minutes after which a reservation expires if its usage was not reported. Default: 15. */
  reservationMinutes?: number;
}

/** Injection token of {@link BudgetOptions}. */
export const BUDGET_OPTIONS = Symbol('governance.budget-options');

const DEFAULTS: Required<BudgetOptions> = {
  assumedInputTokens: 1_000,
  assumedOutputTokens: 1_000,
  reservationMinutes: 15,
};

/** Rules that the options must satisfy. */
export const BUDGET_RULES = {
  assumedInputTokens: option.whole(0, 1_000_000_000),
  assumedOutputTokens: option.whole(0, 1_000_000_000),
  reservationMinutes: option.whole(1, 7 * 24 * 60),
} satisfies option.RulesOf<BudgetOptions>;

/** The value of a numeric option, or its default. */
export function budgetOption(options: BudgetOptions, name: keyof BudgetOptions): number {
  return options[name] ?? DEFAULTS[name];
}
