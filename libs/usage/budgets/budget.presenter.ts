import { picoToDecimalString } from '../prices/index.js';
import type { BudgetResponseDto } from './budget.dto.js';
import type { BudgetStatus } from './budget-status.js';
import type { ShownBudget } from './budget-statuses.js';

type Standing = Pick<BudgetResponseDto, 'spent_usd' | 'reserved_usd' | 'remaining_usd'>;

/** A budget as the API shows it. */
export function presentBudget({ budget, status }: ShownBudget): BudgetResponseDto {
  return {
    id: budget.id,
    org_id: budget.orgId,
    name: budget.name,
    scope: budget.match ?? budget.scope,
    department: budget.department,
    user_id: budget.userId,
    model: budget.model,
    ...(budget.splitBy && { split_by: budget.splitBy }),
    ...(budget.alerts && { alert_thresholds: budget.alerts.map(Number) }),
    amount_usd: Number(budget.amountUsd),
    period: budget.period,
    enforcement: budget.enforcement,
    window_start: status.window.start.toISOString(),
    window_end: status.window.end.toISOString(),
    ...(budget.splitBy ? UNTOLD : standing(status)),
    projected_exhaustion: budget.splitBy ? null : (status.exhaustion?.toISOString() ?? null),
    created_at: budget.createdAt.toISOString(),
    updated_at: budget.updatedAt.toISOString(),
  };
}

/** Where each part stands is told one by one. */
const UNTOLD = { spent_usd: null, reserved_usd: null, remaining_usd: null };

function standing({ spent, reserved, remaining }: BudgetStatus): Standing {
  return { spent_usd: dollars(spent), reserved_usd: dollars(reserved), remaining_usd: dollars(remaining) };
}

/** The number nearest to the exact amount. */
export function dollars(picodollars: bigint): number {
  return Number(picoToDecimalString(picodollars));
}
