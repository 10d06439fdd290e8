import type { BudgetScope } from '#outbox';
import { ScopeIndex, type Scoped, type ScopeSplit } from '../scopes/index.js';
import type { BudgetPeriod } from '../windows/index.js';

export type { SpendSubject } from '../scopes/index.js';

/** What happens when a budget is exceeded: alerts only, or also refused requests. */
export const BUDGET_ENFORCEMENTS = ['notify', 'block'] as const;
/** Enforcement of a budget. */
export type BudgetEnforcement = (typeof BUDGET_ENFORCEMENTS)[number];

/** The data of a budget that decisions and accounting need. */
export interface KnownBudget extends Scoped {
  readonly id: string;
  readonly name: string;
  readonly scope: BudgetScope;
  /**
   * Dimension of which each value has the amount for itself: user, department, project or token. Null if all requests
   * share the amount.
   */
  readonly splitBy?: ScopeSplit | null | undefined;
  /** Decimal text. */
  readonly amountUsd: string;
  readonly period: BudgetPeriod;
  readonly enforcement: BudgetEnforcement;
  /** Only usage in windows that begin at this time or later counts. */
  readonly countsFrom: Date;
}

/** Budgets, indexed by their scope. A split budget has one entry, regardless of the number of its parts. */
export class BudgetIndex extends ScopeIndex<KnownBudget> {}
