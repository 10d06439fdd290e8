import { Injectable } from '@nestjs/common';
import { Clock, CursorSealer, DEFAULT_PAGE_LIMIT, digestFilters, pageOf, type Page } from '#core';
import { countRows, OrgDatabase, SCHEMA, sqlOf } from '#database';
import type { BudgetScope } from '#outbox';
import { Budget } from './budget.entity.js';
import type { BudgetEnforcement } from './budget-scope.js';
import { withStatuses, type ShownBudget } from './budget-statuses.js';

/** Which budgets to list, from where, and how many. */
export interface BudgetListQuery {
  scope?: BudgetScope | undefined;
  enforcement?: BudgetEnforcement | undefined;
  cursor?: string | undefined;
  /** 1 to 100. Default: 25. */
  limit?: number | undefined;
}

const LISTED = `select b.* from ${SCHEMA}.budgets b where b.org_id = $1
  and ($2::text is null or b.scope = $2) and ($3::text is null or b.enforcement = $3)`;
const NEWEST_FIRST = 'order by b.created_at desc, b.id desc limit';

/** Lists budgets with where they stand, the newest first. What is created or deleted meanwhile moves nothing. */
@Injectable()
export class BudgetListService {
  constructor(
    private readonly database: OrgDatabase,
    private readonly cursors: CursorSealer,
    private readonly clock: Clock,
  ) {}

  /** One page. @throws BadRequestError where the cursor is not valid here. */
  async list<Item>(orgId: string, query: BudgetListQuery, show: (shown: ShownBudget) => Item): Promise<Page<Item>> {
    const { scope = null, enforcement = null, limit = DEFAULT_PAGE_LIMIT } = query;
    const digest = digestFilters('budgets', { scope, enforcement });
    const opened = query.cursor === undefined ? undefined : this.cursors.open(orgId, digest, query.cursor);
    return this.database.transaction(orgId, async em => {
      const tx = sqlOf(em);
      const filters = [orgId, scope, enforcement];
      const totalCount = opened?.totalCount ?? (await countRows(tx, LISTED, filters));
      const after = opened ? ' and (b.created_at, b.id) < ($4::timestamptz, $5::uuid)' : '';
      const parameters = [...filters, ...(opened?.position ?? []), limit + 1];
      const sql = `${LISTED}${after} ${NEWEST_FIRST} $${parameters.length}`;
      const rows = await tx.query<Record<string, unknown>>(sql, parameters);
      const budgets = rows.map(row => em.map(Budget, row));
      const shown = await withStatuses(tx, orgId, budgets, this.clock.now());
      const cursorAfter = ({ budget: { createdAt, id } }: ShownBudget) =>
        this.cursors.seal(orgId, digest, { position: [createdAt.toISOString(), id], totalCount });
      return pageOf(shown, limit, show, cursorAfter, totalCount);
    });
  }
}
