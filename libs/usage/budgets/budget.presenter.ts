import { presenterOf } from '#access';
import { picoToDecimalString } from '../prices/index.js';
import { BudgetResponseDto } from './budget.dto.js';
import type { Budget } from './budget.entity.js';
import type { BudgetStatus } from './budget-status.js';
import type { ShownBudget } from './budget-statuses.js';

type Standing = Pick<BudgetResponseDto, 'spent_usd' | 'reserved_usd' | 'remaining_usd'>;

const presented = presenterOf(BudgetResponseDto, (budget: Budget, status: BudgetStatus) => ({
  scope: budget.match ?? budget.scope,
  split_by: budget.splitBy ?? undefined,
  alert_thresholds: budget.alerts?.map(Number),
  amount_usd: Number(budget.amountUsd),
  window_start: status.window.start.toISOString(),
  window_end: status.window.end.toISOString(),
  ...(budget.splitBy ? UNTOLD : standing(status)),
  projected_exhaustion: budget.splitBy ? null : (status.exhaustion?.toISOString() ?? null),
}));

/** A budget as the API shows it. */
export function presentBudget({ budget, status }: ShownBudget): BudgetResponseDto {
  return presented(budget, status);
}

/** A split budget has no totals in the response. List its parts instead. */
const UNTOLD = { spent_usd: null, reserved_usd: null, remaining_usd: null };

function standing({ spent, reserved, remaining }: BudgetStatus): Standing {
  return { spent_usd: dollars(spent), reserved_usd: dollars(reserved), remaining_usd: dollars(remaining) };
}

/** A floating-point number nearest to the exact amount. */
export function dollars(picodollars: bigint): number {
  return Number(picoToDecimalString(picodollars));
}
