import { Injectable } from '@nestjs/common';
import type { Page, PageQuery } from '#core';
import { KeysetLists, newestFirst, sql, type TableList } from '#database';
import { NOBODY } from './reservation-plan.js';

/** Filter and position for a list of reservations. */
export interface ReservationListQuery extends PageQuery {
  /** Only reservations in this budget. */
  budgetId?: string | undefined;
}

/** A reservation of a decision. */
export interface ReservationRow {
  /** The decision's id. */
  readonly id: string;
  /** Decimal text. */
  readonly amount_usd: string;
  readonly budget_ids: readonly string[];
  /** Starts of the windows in milliseconds since 1970, one per budget. */
  readonly starts_ms: readonly string[];
  readonly user_id: string;
  readonly provider: string;
  readonly model: string;
  readonly created_ms: string;
  readonly expires_ms: string;
}

const COLUMNS = sql`r.id, r.amount_usd::text, r.budget_ids::text[] as budget_ids, r.user_id, r.provider, r.model,
  array(select (extract(epoch from s) * 1000)::bigint::text from unnest(r.window_starts) s) as starts_ms,
  floor(extract(epoch from r.created_at) * 1000)::text as created_ms,
  floor(extract(epoch from r.expires_at) * 1000)::text as expires_ms`;

/**
 * Lists reservations, newest decision first. A reservation that is settled or added between two pages does not shift
 * the later pages.
 */
@Injectable()
export class ReservationListService {
  constructor(private readonly lists: KeysetLists) {}

  /**
   * Returns one page.
   * @throws BadRequestError if the cursor is not valid here
   */
  list<Item>(orgId: string, query: ReservationListQuery, show: (held: ReservationRow) => Item): Promise<Page<Item>> {
    const { budgetId = null } = query;
    const list: TableList<ReservationRow> = {
      name: 'reservations',
      filters: { budgetId },
      table: 'reservations',
      as: 'r',
      // The list omits advances, because they belong to no decision.
      where: [sql`r.user_id <> ${NOBODY}`, ...(budgetId === null ? [] : [sql`${budgetId} = any(r.budget_ids)`])],
      rows: COLUMNS,
      // Ids of decisions grow with time, so this order is the order of time.
      order: newestFirst('r.id'),
    };
    return this.lists.page(orgId, query, list, show);
  }
}
