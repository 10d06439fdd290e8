import type { SqlTransaction } from '#core';
import { plainArray, SCHEMA } from '#database';
import { usdToPico } from '../prices/index.js';
import { windowIn } from '../windows/index.js';
import type { Budget } from './budget.entity.js';
import { NOTHING_SPENT, statusOf, type BudgetStatus, type WindowFigures } from './budget-status.js';
import { calendarOf } from './budget-windows.service.js';

/** A budget with its current spending. */
export interface ShownBudget {
  readonly budget: Budget;
  readonly status: BudgetStatus;
}

interface FiguresRow {
  budget_id: string;
  spent: string;
  reserved: string;
  exceeded_ms: string | null;
}

const READ = `
select w.budget_id, w.spent_usd::text as spent, w.reserved_usd::text as reserved,
  floor(extract(epoch from w.exceeded_at) * 1000)::bigint::text as exceeded_ms
from unnest($2::uuid[], $3::timestamptz[]) as present (budget_id, window_start)
join ${SCHEMA}.budget_windows w on w.org_id = $1 and w.budget_id = present.budget_id
  and w.window_start = present.window_start and w.part = ''`;

/** The spending of each budget in its window that contains the given instant, in the order of the budgets. */
export async function withStatuses(
  tx: SqlTransaction,
  orgId: string,
  budgets: readonly Budget[],
  at: Date,
): Promise<ShownBudget[]> {
  if (budgets.length === 0) return [];
  const calendar = await calendarOf(tx, orgId);
  const present = budgets.map(budget => ({ budget, window: windowIn(calendar, budget.period, at) }));
  const rows = await tx.query<FiguresRow>(READ, [
    orgId,
    plainArray(present, ({ budget }) => budget.id),
    plainArray(present, ({ window }) => window.start.toISOString()),
  ]);
  const figures = new Map(rows.map(row => [row.budget_id, figuresOf(row)]));
  return present.map(({ budget, window }) => ({
    budget,
    status: statusOf(budget.amount, window, figures.get(budget.id) ?? NOTHING_SPENT, at),
  }));
}

/** The spending of one budget. */
export async function withStatus(tx: SqlTransaction, budget: Budget, at: Date): Promise<ShownBudget> {
  const [shown] = await withStatuses(tx, budget.orgId, [budget], at);
  if (!shown) throw new Error('every budget has a status');
  return shown;
}

function figuresOf({ spent, reserved, exceeded_ms: exceeded }: FiguresRow): WindowFigures {
  return {
    // Both columns are never negative.
    spent: usdToPico(spent) ?? 0n,
    reserved: usdToPico(reserved) ?? 0n,
    exceededAt: exceeded === null ? null : new Date(Number(exceeded)),
  };
}
