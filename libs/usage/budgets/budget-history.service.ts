import { Injectable } from '@nestjs/common';
import type { Page, PageQuery } from '#core';
import { isoTime, KeysetLists, OrgDatabase, plainSql, SCHEMA, sql, type TableList } from '#database';
import { wireEventId, type SentEventType } from '#outbox';
import { Budget } from './budget.entity.js';
import { BudgetNotFoundError } from './budget.errors.js';

/** Filter and position of a budget's history. */
export interface BudgetHistoryQuery extends PageQuery {
  part?: string | undefined;
}

/** An alert that was sent for a window. */
export interface SentBudgetAlert {
  readonly type: Extract<SentEventType, 'budget_warning' | 'budget_exceeded'>;
  /** The threshold, as a share of the amount. */
  readonly threshold: number;
  /** Amount and spending when the alert was sent. */
  readonly amountUsd: number;
  readonly spentUsd: number;
  /** The id of the event, as webhooks get it. */
  readonly eventId: string;
  readonly sentAt: string;
}

/** One window of a budget, or of one part of it. */
export interface PastWindow {
  readonly budgetId: string;
  /** Null if the budget is not split. */
  readonly part: string | null;
  readonly windowStart: string;
  readonly windowEnd: string;
  /** The amount at the end of a past window, or the present amount in the current window. */
  readonly amountUsd: number;
  readonly spentUsd: number;
  readonly reservedUsd: number;
  readonly alerts: readonly SentBudgetAlert[];
}

interface AlertRow {
  readonly event_id: string;
  readonly threshold: number;
  readonly amount_usd: number;
  readonly spent_usd: number;
  readonly sent_at: string;
}

interface WindowRow {
  readonly part: string;
  readonly is_split: boolean;
  readonly window_start: string;
  readonly window_end: string;
  readonly amount_usd: string;
  readonly spent_usd: string;
  readonly reserved_usd: string;
  readonly alerts: readonly AlertRow[];
}

/** The amount at the end of a window: the amount that the first later change replaced. */
const FORMER = (alias: string, which: string) => `
left join lateral (
  select true as known, f.amount_usd from ${SCHEMA}.budget_former_amounts f
  where f.org_id = w.org_id and f.budget_id = w.budget_id and ${which} and f.until >= w.window_end
  order by f.until limit 1) ${alias} on true`;

const JOINS = `join ${SCHEMA}.budgets b on b.org_id = w.org_id and b.id = w.budget_id
left join ${SCHEMA}.budget_overrides o on o.org_id = w.org_id and o.budget_id = w.budget_id and o.part = w.part
${FORMER('own', 'f.is_override and f.part = w.part')}
${FORMER('shared', "not f.is_override and f.part = ''")}`;

const COLUMNS = plainSql(`w.part, b.split_by is not null as is_split, ${isoTime('w.window_start')} as window_start,
  ${isoTime('w.window_end')} as window_end, w.spent_usd::text as spent_usd, w.reserved_usd::text as reserved_usd,
  coalesce(case when own.known then own.amount_usd else o.amount_usd end,
    case when shared.known then shared.amount_usd else b.amount_usd end)::text as amount_usd,
  (select coalesce(json_agg(json_build_object('event_id', a.event_id, 'threshold', a.threshold,
      'amount_usd', a.amount_usd, 'spent_usd', a.spent_usd, 'sent_at', ${isoTime('a.sent_at')})
      order by a.sent_at, a.threshold), '[]')
    from ${SCHEMA}.budget_alerts a where a.org_id = w.org_id and a.budget_id = w.budget_id
      and a.window_start = w.window_start and a.part = w.part) as alerts`);

/** Lists what was spent in the windows of a budget, and which alerts were sent. */
@Injectable()
export class BudgetHistory {
  constructor(
    private readonly database: OrgDatabase,
    private readonly lists: KeysetLists,
  ) {}

  /**
   * Returns one page of the windows that had usage, the current one included, the newest first. A split budget has one
   * entry per window and part.
   * @throws BudgetNotFoundError
   * @throws BadRequestError if the cursor is not valid here
   */
  async list<Item>(
    orgId: string,
    id: string,
    query: BudgetHistoryQuery,
    show: (window: PastWindow) => Item,
  ): Promise<Page<Item>> {
    const { part } = query;
    const list: TableList<WindowRow> = {
      name: 'budget_history',
      filters: { id, part },
      table: 'budget_windows',
      as: 'w',
      columnJoins: JOINS,
      where: [sql`w.budget_id = ${id}::uuid`, part === undefined ? undefined : sql`w.part = ${part}`],
      rows: COLUMNS,
      order: {
        columns: ['w.window_start', 'w.part'],
        direction: 'desc',
        position: row => [row.window_start, row.part],
      },
    };
    return this.database.snapshot(orgId, async em => {
      if ((await em.count(Budget, { orgId, id })) === 0) throw new BudgetNotFoundError(id);
      const page = await this.lists.pageWithin(em, orgId, query, list);
      return { ...page, items: page.items.map(row => show(shownOf(id, row))) };
    });
  }
}

function shownOf(budgetId: string, row: WindowRow): PastWindow {
  return {
    budgetId,
    part: row.is_split ? row.part : null,
    windowStart: row.window_start,
    windowEnd: row.window_end,
    amountUsd: Number(row.amount_usd),
    spentUsd: Number(row.spent_usd),
    reservedUsd: Number(row.reserved_usd),
    alerts: row.alerts.map(alertOf),
  };
}

function alertOf({ event_id, threshold, amount_usd, spent_usd, sent_at }: AlertRow): SentBudgetAlert {
  const type = threshold < 1 ? 'budget_warning' : 'budget_exceeded';
  return {
    type,
    threshold,
    amountUsd: amount_usd,
    spentUsd: spent_usd,
    eventId: wireEventId(event_id, type),
    sentAt: sent_at,
  };
}
