import type { BudgetScope } from '#outbox';
import { ModelPattern } from '../prices/index.js';
import type { BudgetPeriod } from '../windows/index.js';

/** What happens when a budget is used up: people are told, or requests are refused as well. */
export const BUDGET_ENFORCEMENTS = ['notify', 'block'] as const;
/** What happens when a budget is used up. */
export type BudgetEnforcement = (typeof BUDGET_ENFORCEMENTS)[number];

/** A budget as deciding and counting need it. */
export interface KnownBudget {
  readonly id: string;
  readonly name: string;
  readonly scope: BudgetScope;
  readonly department: string | null;
  readonly userId: string | null;
  /** Name or pattern with `*`, compared without case. */
  readonly model: string | null;
  /** Decimal text. */
  readonly amountUsd: string;
  readonly period: BudgetPeriod;
  readonly enforcement: BudgetEnforcement;
  /** Usage in windows that begin earlier is not counted. */
  readonly countsFrom: Date;
}

/** Whose spending it is, and on what. */
export interface SpendSubject {
  readonly userId: string;
  readonly department: string | null;
  readonly model: string;
}

const NONE: readonly KnownBudget[] = [];

/** Some budgets, found by whom they concern: what a lookup costs depends on how many apply, and on those for models. */
export class BudgetIndex {
  private readonly ofOrganization: KnownBudget[] = [];
  private readonly ofDepartment = new Map<string, KnownBudget[]>();
  private readonly ofUser = new Map<string, KnownBudget[]>();
  private readonly ofModels: { budget: KnownBudget; pattern: ModelPattern }[] = [];

  constructor(budgets: readonly KnownBudget[]) {
    for (const budget of budgets) this.add(budget);
  }

  /** The budgets that a request or its usage counts against. */
  matching({ userId, department, model }: SpendSubject): readonly KnownBudget[] {
    const user = this.ofUser.get(userId) ?? NONE;
    const team = (department === null ? undefined : this.ofDepartment.get(department)) ?? NONE;
    if (this.ofModels.length === 0 && user.length === 0 && team.length === 0) return this.ofOrganization;
    const models = this.ofModels.filter(({ pattern }) => pattern.matches(model)).map(({ budget }) => budget);
    return [...this.ofOrganization, ...team, ...user, ...models];
  }

  private add(budget: KnownBudget): void {
    const { scope, department, userId, model } = budget;
    if (scope === 'organization') this.ofOrganization.push(budget);
    else if (scope === 'department' && department !== null) append(this.ofDepartment, department, budget);
    else if (scope === 'user' && userId !== null) append(this.ofUser, userId, budget);
    else if (scope === 'model' && model !== null) this.ofModels.push({ budget, pattern: new ModelPattern(model) });
  }
}

function append(map: Map<string, KnownBudget[]>, key: string, budget: KnownBudget): void {
  const list = map.get(key);
  if (list) list.push(budget);
  else map.set(key, [budget]);
}
