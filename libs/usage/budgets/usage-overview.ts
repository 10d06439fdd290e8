import { Injectable, type OnModuleInit } from '@nestjs/common';
import {
  OverviewSections,
  type OverviewBudget,
  type OverviewBudgets,
  type OverviewSection,
  type SqlTransaction,
  SearchKinds,
  type SearchKind,
} from '#core';
import { SCHEMA } from '#database';
import { windowIn, type BudgetPeriod, type OrgCalendar } from '../windows/index.js';
import { calendarOf } from './budget-windows.service.js';

const SHOWN = `b.id, b.name, b.scope, b.department, b.user_id, b.model, b.period, b.enforcement,
  b.amount_usd::float8 as amount_usd`;

// The parts of split budgets are not shown. Whoever has reached 80 % was told of it in the window; an amount that was raised since then sets it aside.
const HIGHEST = `
select ${SHOWN}, w.spent_usd::float8 as spent_usd, w.window_start, w.window_end, count(*) over ()::float8 as found
from ${SCHEMA}.budget_windows w
join ${SCHEMA}.budgets b on b.org_id = $1 and b.id = w.budget_id
where w.org_id = $1 and b.split_by is null and (w.warned_at is not null or w.exceeded_at is not null)
  and w.window_end > $2 and w.window_start <= $2 and w.spent_usd >= 0.8 * b.amount_usd
order by w.spent_usd / nullif(b.amount_usd, 0) desc nulls first, b.id
limit 10`;

const OF_ORGANIZATION = `
select ${SHOWN}, coalesce(w.spent_usd, 0)::float8 as spent_usd, w.window_start, w.window_end
from ${SCHEMA}.budgets b
left join ${SCHEMA}.budget_windows w on w.org_id = $1 and w.budget_id = b.id
  and w.window_start <= $2 and w.window_end > $2
where b.org_id = $1 and b.scope = 'organization' and b.split_by is null
order by b.id limit 10`;

// A row of the rollup is written with the first event, and there is one table of it.
const ANY_EVENT = `select exists (select from ${SCHEMA}.usage_daily where org_id = $1) as found`;

type Row = Omit<OverviewBudget, 'window_start' | 'window_end'> & { window_start: Date | null; window_end: Date | null };

const KINDS: readonly SearchKind[] = [
  {
    kind: 'budget',
    scope: 'budgets:read',
    sql: `select id::text, name as title, scope as subtitle from ${SCHEMA}.budgets
   where org_id = $1 and (id = $3::uuid or strpos(lower(name collate "default"), $2) > 0
     or strpos(lower(name collate "default"), $5) > 0) order by id limit 5`,
  },
];

/** Tells of budgets that are nearly spent, and of those of the whole organization. */
@Injectable()
export class UsageOverview implements OverviewSection<'budgets'>, OnModuleInit {
  readonly name = 'budgets';
  readonly scope = 'budgets:read';

  constructor(
    private readonly overview: OverviewSections,
    private readonly kinds: SearchKinds,
  ) {}

  onModuleInit(): void {
    for (const kind of KINDS) this.kinds.add(kind);
    this.overview.add(this);
    this.overview.addStep({ name: 'event', read: hasEvent });
  }

  async read(tx: SqlTransaction, orgId: string, now: Date): Promise<OverviewBudgets> {
    const calendar = await calendarOf(tx, orgId);
    const highest = await tx.query<Row & { found: number }>(HIGHEST, [orgId, now]);
    const organization = await tx.query<Row>(OF_ORGANIZATION, [orgId, now]);
    return {
      above_80: highest[0]?.found ?? 0,
      highest: highest.map(row => shown(row, calendar, now)),
      organization: organization.map(row => shown(row, calendar, now)),
    };
  }
}

/** Nobody has spent anything of a budget without a window. */
function shown(row: Row, calendar: OrgCalendar, now: Date): OverviewBudget {
  const window = windowIn(calendar, row.period as BudgetPeriod, now);
  const { id, name, scope, department, user_id, model, period, enforcement, amount_usd, spent_usd } = row;
  return {
    ...{ id, name, scope, department, user_id, model, period, enforcement, amount_usd, spent_usd },
    window_start: new Date(row.window_start ?? window.start).toISOString(),
    window_end: new Date(row.window_end ?? window.end).toISOString(),
  };
}

async function hasEvent(tx: SqlTransaction, orgId: string): Promise<boolean> {
  const [row] = await tx.query<{ found: boolean }>(ANY_EVENT, [orgId]);
  return row?.found === true;
}
