import { isDeepStrictEqual } from 'node:util';
import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { JsonObject } from '#core';
import { OrgRecord } from '#database';
import type { BudgetScope } from '#outbox';
import { picoToDecimalString, usdToPico } from '../prices/index.js';
import { normalMatch, type ScopeMatch, type ScopeSplit } from '../scopes/index.js';
import type { BudgetPeriod } from '../windows/index.js';
import { amountOf, type BudgetDraft } from './budget-rules.js';
import type { BudgetEnforcement, KnownBudget } from './budget-scope.js';

/** A spending limit per day, week, month, quarter or year. */
@Entity({ tableName: 'budgets', schema: 'governance' })
export class Budget extends OrgRecord {
  @Property({ type: 'text' })
  name!: string;

  @Property({ type: 'text' })
  scope!: BudgetScope;

  /** Only with the scope `department`. */
  @Property({ type: 'text', nullable: true })
  department!: string | null;

  /** Only with the scope `user`. */
  @Property({ type: 'uuid', nullable: true })
  userId!: string | null;

  /** Name or pattern with `*`, compared without case. Only with the scope `model`. */
  @Property({ type: 'text', nullable: true })
  model!: string | null;

  /** Conditions that all hold. Only with the scope `combined`. */
  @Property({ type: 'json', nullable: true })
  match!: ScopeMatch | null;

  /** The dimension by which the amount is split. Null if all requests share the amount. */
  @Property({ type: 'text', nullable: true })
  splitBy!: ScopeSplit | null;

  /** Shares of the amount at which `budget_warning` is sent, as decimal texts in ascending order; null for 0.8. */
  @Property({ type: 'text[]', columnType: 'numeric[]', nullable: true })
  alerts!: string[] | null;

  /** Decimal text with 12 places. */
  @Property({ type: 'decimal' })
  amountUsd!: string;

  @Property({ type: 'text' })
  period!: BudgetPeriod;

  @Property({ type: 'text' })
  enforcement!: BudgetEnforcement;

  /** Start of the first window in which usage counts against the budget. */
  @Property({ type: 'timestamptz' })
  countsFrom!: Date;

  @Property({ type: 'timestamptz' })
  createdAt!: Date;

  @Property({ type: 'timestamptz' })
  updatedAt!: Date;

  /** Creates a budget from a valid draft. */
  static create(orgId: string, id: string, draft: BudgetDraft, countsFrom: Date, now: Date): Budget {
    const budget = new Budget();
    budget.orgId = orgId;
    budget.id = id;
    budget.name = draft.name;
    budget.scope = draft.scope;
    budget.department = draft.department ?? null;
    budget.userId = draft.userId?.toLowerCase() ?? null;
    budget.model = draft.model ?? null;
    budget.match = draft.match ? normalMatch(draft.match) : null;
    budget.splitBy = draft.splitBy ?? null;
    budget.alerts = alertTexts(draft.alerts);
    budget.amountUsd = decimalOf(draft.amountUsd);
    budget.period = draft.period;
    budget.enforcement = draft.enforcement;
    budget.countsFrom = countsFrom;
    budget.createdAt = now;
    budget.updatedAt = now;
    return budget;
  }

  /** The amount per window, in picodollars. */
  get amount(): bigint {
    // The database column is NUMERIC with 12 decimals and never negative.
    return usdToPico(this.amountUsd) ?? 0n;
  }

  /** Applies the supplied fields. Returns whether anything changed. */
  change(patch: Pick<Partial<BudgetDraft>, 'name' | 'amountUsd' | 'enforcement' | 'alerts'>, now: Date): boolean {
    const { name = this.name, enforcement = this.enforcement } = patch;
    const alerts = patch.alerts === undefined ? this.alerts : alertTexts(patch.alerts);
    const amount = patch.amountUsd === undefined ? this.amount : amountOf(patch.amountUsd);
    const isSame = name === this.name && enforcement === this.enforcement && amount === this.amount;
    if (isSame && isDeepStrictEqual(alerts, this.alerts)) return false;
    this.alerts = alerts;
    this.name = name;
    this.enforcement = enforcement;
    if (patch.amountUsd !== undefined) this.amountUsd = decimalOf(patch.amountUsd);
    this.updatedAt = new Date(Math.max(now.getTime(), this.updatedAt.getTime() + 1));
    return true;
  }

  /** The data that decisions and accounting need. */
  asKnown(): KnownBudget {
    const { id, name, scope, department, userId, model, match, splitBy } = this;
    const { amountUsd, period, enforcement, countsFrom } = this;
    const about = { id, name, scope, department, userId, model, match, splitBy };
    return { ...about, amountUsd, period, enforcement, countsFrom };
  }

  /** The audit log's representation of the budget. */
  audited(): JsonObject {
    return {
      name: this.name,
      scope: this.scope,
      department: this.department,
      user_id: this.userId,
      model: this.model,
      ...(this.match && { match: this.match }),
      ...(this.splitBy && { split_by: this.splitBy }),
      ...(this.alerts && { alert_thresholds: this.alerts.map(Number) }),
      amount_usd: Number(this.amountUsd),
      period: this.period,
      enforcement: this.enforcement,
    };
  }
}

function alertTexts(alerts: readonly number[] | null | undefined): string[] | null {
  return alerts ? alerts.map(String) : null;
}

function decimalOf(usd: number): string {
  const amount = amountOf(usd);
  if (amount === undefined) throw new RangeError(`${usd} is not a valid amount of a budget`);
  return picoToDecimalString(amount);
}
