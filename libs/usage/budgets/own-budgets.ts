import type { OverviewOwnBudgets, OverviewSection, SqlTransaction } from '#core';
import { SCHEMA } from '#database';
import { calendarOf } from './budget-windows.service.js';
import { overviewBudget, SHOWN, type OverviewBudgetRow } from './overview-budget.js';

// A budget that is split by user may be restricted to a department or a model. The overview shows such a budget to a
// user after the user's first usage in it.
const OWN = `
select ${SHOWN}, coalesce(o.amount_usd, b.amount_usd)::float8 as amount_usd,
  coalesce(w.spent_usd, 0)::float8 as spent_usd, w.window_start, w.window_end
from ${SCHEMA}.budgets b
left join ${SCHEMA}.budget_windows w on w.org_id = $1 and w.budget_id = b.id
  and w.part = case when b.split_by is null then '' else $3 end and w.window_start <= $2 and w.window_end > $2
left join ${SCHEMA}.budget_overrides o on o.org_id = $1 and o.budget_id = b.id and o.part = $3 and b.split_by = 'user'
where b.org_id = $1 and case b.split_by
  when 'user' then b.scope = 'organization' or b.user_id::text = $3 or w.budget_id is not null
  else b.split_by is null and b.user_id::text = $3 end
order by b.created_at desc, b.id limit 20`;

/** Lists the budgets of a user with their spending, for the overview. */
export const OWN_BUDGETS: OverviewSection<'own_budgets'> = {
  name: 'own_budgets',
  scope: 'usage:read:own',
  async read(tx: SqlTransaction, orgId: string, now: Date, userId: string | undefined): Promise<OverviewOwnBudgets> {
    if (userId === undefined) return [];
    const calendar = await calendarOf(tx, orgId);
    const rows = await tx.query<OverviewBudgetRow>(OWN, [orgId, now, userId.toLowerCase()]);
    return rows.map(row => overviewBudget(row, calendar, now));
  },
};
