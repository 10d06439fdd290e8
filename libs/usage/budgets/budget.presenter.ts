import { picoToDecimalString } from '../prices/index.js';
import type { BudgetResponseDto } from './budget.dto.js';
import type { ShownBudget } from './budget-statuses.js';

/** A budget as the API shows it. */
export function presentBudget({ budget, status }: ShownBudget): BudgetResponseDto {
  return {
    id: budget.id,
    org_id: budget.orgId,
    name: budget.name,
    scope: budget.scope,
    department: budget.department,
    user_id: budget.userId,
    model: budget.model,
    amount_usd: Number(budget.amountUsd),
    period: budget.period,
    enforcement: budget.enforcement,
    window_start: status.window.start.toISOString(),
    window_end: status.window.end.toISOString(),
    spent_usd: dollars(status.spent),
    reserved_usd: dollars(status.reserved),
    remaining_usd: dollars(status.remaining),
    projected_exhaustion: status.exhaustion?.toISOString() ?? null,
    created_at: budget.createdAt.toISOString(),
    updated_at: budget.updatedAt.toISOString(),
  };
}

/** The number nearest to the exact amount. */
function dollars(picodollars: bigint): number {
  return Number(picoToDecimalString(picodollars));
}
