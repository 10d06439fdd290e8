import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Clock, type Page, type PageQuery } from '#core';
import { KeysetLists, OrgDatabase, sql, sqlOf, type TableList } from '#database';
import { usdToPico } from '../prices/index.js';
import { windowIn, type BudgetWindow } from '../windows/index.js';
import { Budget } from './budget.entity.js';
import { BudgetNotFoundError, BudgetNotSplitError } from './budget.errors.js';
import { calendarOf } from './budget-windows.service.js';

/** Current spending of one part of a split budget; money in picodollars. */
export interface ShownPart {
  readonly budgetId: string;
  readonly part: string;
  readonly amount: bigint;
  readonly window: BudgetWindow;
  readonly spent: bigint;
  readonly reserved: bigint;
}

/** Filter and position for a list of parts. */
export interface PartListQuery extends PageQuery {
  part?: string | undefined;
}

interface PartRow {
  readonly part: string;
  readonly amount_usd: string;
  readonly spent_usd: string;
  readonly reserved_usd: string;
}

const COLUMNS = sql`w.part, w.spent_usd::text as spent_usd, w.reserved_usd::text as reserved_usd,
  coalesce(o.amount_usd, b.amount_usd)::text as amount_usd`;

const AMOUNTS = `join governance.budgets b on b.org_id = w.org_id and b.id = w.budget_id
  left join governance.budget_overrides o on o.org_id = w.org_id and o.budget_id = w.budget_id and o.part = w.part`;

/** Lists the parts of split budgets with their current spending. */
@Injectable()
export class BudgetParts {
  constructor(
    private readonly database: OrgDatabase,
    private readonly lists: KeysetLists,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns one page of parts, ordered by name. Lists every part that was used in the current window or has its own
   * amount.
   * @throws BudgetNotFoundError
   * @throws BudgetNotSplitError
   * @throws BadRequestError if the cursor is not valid here
   */
  async list<Item>(
    orgId: string,
    id: string,
    query: PartListQuery,
    show: (part: ShownPart) => Item,
  ): Promise<Page<Item>> {
    return this.database.snapshot(orgId, async em => {
      const { part } = query;
      const { list, window } = await this.listOf(em, orgId, id, part);
      const page = await this.lists.pageWithin(em, orgId, query, list);
      return { ...page, items: page.items.map(row => show(shownOf(id, window, row))) };
    });
  }

  private async listOf(
    em: EntityManager,
    orgId: string,
    id: string,
    part: string | undefined,
  ): Promise<{ list: TableList<PartRow>; window: BudgetWindow }> {
    const budget = await splitBudget(em, orgId, id);
    const window = windowIn(await calendarOf(sqlOf(em), orgId), budget.period, this.clock.now());
    const start = window.start.toISOString();
    const list: TableList<PartRow> = {
      name: 'budget_parts',
      filters: { id: budget.id, part, start },
      table: 'budget_windows',
      as: 'w',
      columnJoins: AMOUNTS,
      where: [
        sql`w.budget_id = ${budget.id}::uuid and w.window_start = ${start}::timestamptz`,
        part === undefined ? undefined : sql`w.part = ${part}`,
      ],
      rows: COLUMNS,
      order: { columns: ['w.part'], direction: 'asc', position: row => [row.part] },
    };
    return { list, window };
  }
}

/** @throws BudgetNotFoundError @throws BudgetNotSplitError */
export async function splitBudget(em: EntityManager, orgId: string, id: string): Promise<Budget> {
  const budget = await em.findOne(Budget, { orgId, id });
  if (!budget) throw new BudgetNotFoundError(id);
  if (!budget.splitBy) throw new BudgetNotSplitError();
  return budget;
}

function shownOf(budgetId: string, window: BudgetWindow, row: PartRow): ShownPart {
  return {
    budgetId,
    part: row.part,
    amount: usdToPico(row.amount_usd) ?? 0n,
    window,
    spent: usdToPico(row.spent_usd) ?? 0n,
    reserved: usdToPico(row.reserved_usd) ?? 0n,
  };
}
