import { Injectable } from '@nestjs/common';
import { CursorSealer, DEFAULT_PAGE_LIMIT, digestFilters, pageOf, type Page } from '#core';
import { countRows, OrgDatabase, SCHEMA, sqlOf } from '#database';

/** Which reservations to list, from where, and how many. */
export interface ReservationListQuery {
  /** Only those that hold money in this budget. */
  budgetId?: string | undefined;
  cursor?: string | undefined;
  /** 1 to 100. Default: 25. */
  limit?: number | undefined;
}

/** Money that is held for a decision. */
export interface ReservationRow {
  /** The decision's id. */
  readonly id: string;
  /** Decimal text. */
  readonly amount_usd: string;
  readonly budget_ids: readonly string[];
  /** Milliseconds since 1970, one per budget. */
  readonly starts_ms: readonly string[];
  readonly user_id: string;
  readonly provider: string;
  readonly model: string;
  readonly created_ms: string;
  readonly expires_ms: string;
}

const HELD = `
select r.id, r.amount_usd::text, r.budget_ids::text[] as budget_ids, r.user_id, r.provider, r.model,
  array(select (extract(epoch from s) * 1000)::bigint::text from unnest(r.window_starts) s) as starts_ms,
  floor(extract(epoch from r.created_at) * 1000)::text as created_ms,
  floor(extract(epoch from r.expires_at) * 1000)::text as expires_ms
from ${SCHEMA}.reservations r where r.org_id = $1 and ($2::uuid is null or $2 = any(r.budget_ids))`;

/** Lists what is held of budgets, the newest decision first. What is settled or reserved meanwhile moves nothing. */
@Injectable()
export class ReservationListService {
  constructor(
    private readonly database: OrgDatabase,
    private readonly cursors: CursorSealer,
  ) {}

  /** One page. @throws BadRequestError where the cursor is not valid here. */
  async list<Item>(
    orgId: string,
    query: ReservationListQuery,
    show: (held: ReservationRow) => Item,
  ): Promise<Page<Item>> {
    const { budgetId = null, limit = DEFAULT_PAGE_LIMIT } = query;
    const digest = digestFilters('reservations', { budgetId });
    const opened = query.cursor === undefined ? undefined : this.cursors.open(orgId, digest, query.cursor);
    return this.database.transaction(orgId, async em => {
      const tx = sqlOf(em);
      const filters = [orgId, budgetId];
      const totalCount = opened?.totalCount ?? (await countRows(tx, HELD, filters));
      // Ids of decisions grow with time.
      const after = opened ? ' and r.id < $3::uuid' : '';
      const parameters = [...filters, ...(opened?.position ?? []), limit + 1];
      const rows = await tx.query<ReservationRow>(
        `${HELD}${after} order by r.id desc limit $${parameters.length}`,
        parameters,
      );
      const cursorAfter = ({ id }: ReservationRow) => this.cursors.seal(orgId, digest, { position: [id], totalCount });
      return pageOf(rows, limit, show, cursorAfter, totalCount);
    });
  }
}
