import type { BudgetScope } from '#outbox';
import { ScopeIndex, type Scoped, type ScopeSplit } from '../scopes/index.js';
import type { BudgetPeriod } from '../windows/index.js';

export type { SpendSubject } from '../scopes/index.js';

/** What happens when a budget is used up: people are told, or requests are refused as well. */
export const BUDGET_ENFORCEMENTS = ['notify', 'block'] as const;
/** What happens when a budget is used up. */
export type BudgetEnforcement = (typeof BUDGET_ENFORCEMENTS)[number];

/** A budget as deciding and counting need it. */
export interface KnownBudget extends Scoped {
  readonly id: string;
  readonly name: string;
  readonly scope: BudgetScope;
  /** Each user, department, project or token has the amount; null where all share it. */
  readonly splitBy?: ScopeSplit | null | undefined;
  /** Decimal text. */
  readonly amountUsd: string;
  readonly period: BudgetPeriod;
  readonly enforcement: BudgetEnforcement;
  /** Usage in windows that begin earlier is not counted. */
  readonly countsFrom: Date;
}

/** Some budgets, found by whom they concern. A split budget is one entry, however many parts it has. */
export class BudgetIndex extends ScopeIndex<KnownBudget> {}
