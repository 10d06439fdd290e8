import type { BudgetScope } from '#outbox';
import { ScopeIndex, type Scoped, type ScopeSplit } from '../scopes/index.js';
import type { BudgetPeriod } from '../windows/index.js';

export type { SpendSubject } from '../scopes/index.js';

/** Enforcement: notify people, or also refuse requests. */
export const BUDGET_ENFORCEMENTS = ['notify', 'block'] as const;
/** Enforcement of a budget. */
export type BudgetEnforcement = (typeof BUDGET_ENFORCEMENTS)[number];

/** The data of a budget that decisions and accounting need. */
export interface KnownBudget extends Scoped {
  readonly id: string;
  readonly name: string;
  readonly scope: BudgetScope;
  /** Each user, department, project or token has the amount; null if all share it. */
  readonly splitBy?: ScopeSplit | null | undefined;
  /** Decimal text. */
  readonly amountUsd: string;
  readonly period: BudgetPeriod;
  readonly enforcement: BudgetEnforcement;
  /** Usage in windows that begin earlier does not count. */
  readonly countsFrom: Date;
}

/** Budgets, indexed by their scope. A split budget is one entry, however many parts it has. */
export class BudgetIndex extends ScopeIndex<KnownBudget> {}
