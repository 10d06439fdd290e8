import type { OverviewBudget } from '#core';
import { windowIn, type BudgetPeriod, type OrgCalendar } from '../windows/index.js';

/** The columns of a budget `b` in the overview, without its amount. */
export const SHOWN = 'b.id, b.name, b.scope, b.department, b.user_id, b.model, b.period, b.enforcement';

/** A budget as the overview reads it. Before the first spending, it has no window. */
export type OverviewBudgetRow = Omit<OverviewBudget, 'window_start' | 'window_end'> & {
  window_start: Date | null;
  window_end: Date | null;
};

/** The budget as the overview shows it, in the window that contains `now`. */
export function overviewBudget(row: OverviewBudgetRow, calendar: OrgCalendar, now: Date): OverviewBudget {
  const window = windowIn(calendar, row.period as BudgetPeriod, now);
  const { id, name, scope, department, user_id, model, period, enforcement, amount_usd, spent_usd } = row;
  return {
    ...{ id, name, scope, department, user_id, model, period, enforcement, amount_usd, spent_usd },
    window_start: new Date(row.window_start ?? window.start).toISOString(),
    window_end: new Date(row.window_end ?? window.end).toISOString(),
  };
}
