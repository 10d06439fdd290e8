import { Injectable } from '@nestjs/common';
import type { OverviewBudgets, SearchKind, SqlTransaction } from '#core';
import { OverviewPart, SCHEMA } from '#database';
import { LIVE_TOPICS } from '../live-topics.js';
import { calendarOf } from './budget-windows.service.js';
import { overviewBudget, SHOWN, type OverviewBudgetRow } from './overview-budget.js';
import { OWN_BUDGETS } from './own-budgets.js';

const BUDGET = `${SHOWN}, b.amount_usd::float8 as amount_usd`;

// Split budgets are not shown. A budget that reached 80 % has sent an alert in the current window. If its amount was
// raised since, the budget is not shown any more.
const HIGHEST = `
select ${BUDGET}, w.spent_usd::float8 as spent_usd, w.window_start, w.window_end, count(*) over ()::float8 as found
from ${SCHEMA}.budget_windows w
join ${SCHEMA}.budgets b on b.org_id = $1 and b.id = w.budget_id
where w.org_id = $1 and b.split_by is null and (w.warned_at is not null or w.exceeded_at is not null)
  and w.window_end > $2 and w.window_start <= $2 and w.spent_usd >= 0.8 * b.amount_usd
order by w.spent_usd / nullif(b.amount_usd, 0) desc nulls first, b.id
limit 10`;

const OF_ORGANIZATION = `
select ${BUDGET}, coalesce(w.spent_usd, 0)::float8 as spent_usd, w.window_start, w.window_end
from ${SCHEMA}.budgets b
left join ${SCHEMA}.budget_windows w on w.org_id = $1 and w.budget_id = b.id
  and w.window_start <= $2 and w.window_end > $2
where b.org_id = $1 and b.scope = 'organization' and b.split_by is null
order by b.id limit 10`;

const KINDS: readonly SearchKind[] = [
  {
    kind: 'budget',
    scope: 'budgets:read',
    sql: `select id::text, name as title, scope as subtitle from ${SCHEMA}.budgets
   where org_id = $1 and (id = $3::uuid or strpos(lower(name collate "default"), $2) > 0
     or strpos(lower(name collate "default"), $5) > 0) order by id limit 5`,
  },
];

/** Overview section: budgets that are nearly spent, and budgets of the whole organization. */
@Injectable()
export class UsageOverview extends OverviewPart<'budgets'> {
  override readonly name = 'budgets';
  override readonly scope = 'budgets:read';
  protected override readonly kinds = KINDS;
  protected override readonly topics = LIVE_TOPICS;
  // The first usage event adds a row to this rollup, so checking this table is enough.
  protected override readonly step = { name: 'event', table: 'usage_daily' } as const;

  override onModuleInit(): void {
    super.onModuleInit();
    this.overview.add(OWN_BUDGETS);
  }

  override async read(tx: SqlTransaction, orgId: string, now: Date): Promise<OverviewBudgets> {
    const calendar = await calendarOf(tx, orgId);
    const highest = await tx.query<OverviewBudgetRow & { found: number }>(HIGHEST, [orgId, now]);
    const organization = await tx.query<OverviewBudgetRow>(OF_ORGANIZATION, [orgId, now]);
    return {
      above_80: highest[0]?.found ?? 0,
      highest: highest.map(row => overviewBudget(row, calendar, now)),
      organization: organization.map(row => overviewBudget(row, calendar, now)),
    };
  }
}
