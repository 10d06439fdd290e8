import { Injectable } from '@nestjs/common';
import { Clock, type Page, type PageQuery } from '#core';
import { equal, KeysetLists, OrgDatabase, sqlOf, type TableList } from '#database';
import type { BudgetScope } from '#outbox';
import { Budget } from './budget.entity.js';
import type { BudgetEnforcement } from './budget-scope.js';
import { withStatuses, type ShownBudget } from './budget-statuses.js';

/** Filter and position for a list of budgets. */
export interface BudgetListQuery extends PageQuery {
  scope?: BudgetScope | undefined;
  enforcement?: BudgetEnforcement | undefined;
}

/**
 * Lists budgets with their current spending, newest first. A budget that is created or deleted between two pages does
 * not shift the later pages.
 */
@Injectable()
export class BudgetListService {
  constructor(
    private readonly database: OrgDatabase,
    private readonly lists: KeysetLists,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns one page.
   * @throws BadRequestError if the cursor is not valid here
   */
  async list<Item>(orgId: string, query: BudgetListQuery, show: (shown: ShownBudget) => Item): Promise<Page<Item>> {
    const { scope, enforcement } = query;
    const list: TableList<Budget> = {
      name: 'budgets',
      filters: { scope, enforcement },
      table: 'budgets',
      as: 'b',
      where: equal({ 'b.scope': scope, 'b.enforcement': enforcement }),
      rows: Budget,
      order: {
        columns: ['b.created_at', 'b.id'],
        direction: 'desc',
        position: ({ createdAt, id }) => [createdAt.toISOString(), id],
      },
    };
    return this.database.snapshot(orgId, async em => {
      const page = await this.lists.pageWithin(em, orgId, query, list);
      const shown = await withStatuses(sqlOf(em), orgId, page.items, this.clock.now());
      return { ...page, items: shown.map(show) };
    });
  }
}
