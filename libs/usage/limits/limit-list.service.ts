import { Injectable } from '@nestjs/common';
import type { Page, PageQuery } from '#core';
import { KeysetLists, plainSql, SCHEMA, sql, type TableList } from '#database';
import { LIMIT_STEP_MS, LIMIT_STEPS } from '../migrations/claim-limits.sql.js';
import { Limit } from './limit.entity.js';

/** Usage of one part of a limit: the sum of the claims of all replicas. */
export interface LimitPart {
  readonly part: string;
  readonly requests: number;
  readonly tokens: number;
  readonly concurrent: number;
}

const MOMENT = `floor(extract(epoch from ${SCHEMA}.now()) * 1000)::bigint / ${LIMIT_STEP_MS}`;
const sumOf = (counts: string): string =>
  `(select coalesce(sum(u.n), 0)::float8 from unnest(c.${counts}) with ordinality u(n, place)
    where c.newest - ${LIMIT_STEPS} + u.place > ${MOMENT} - ${LIMIT_STEPS})`;

const COLUMNS = `c.part, ${sumOf('requests')} as requests, ${sumOf('tokens')} as tokens,
  (select coalesce(sum(x.slots), 0)::float8 from ${SCHEMA}.limit_leases x where x.org_id = c.org_id
     and x.limit_id = c.limit_id and x.part = c.part and x.expires_at > ${SCHEMA}.now()) as concurrent`;

/** Time after which a counter without new claims is zero. Such counters are deleted within an hour. */
const RECENT = `c.touched_at > ${SCHEMA}.now() - interval '10 minutes'`;

/** Lists limits and their usage. */
@Injectable()
export class LimitListService {
  constructor(private readonly lists: KeysetLists) {}

  /**
   * Returns one page, newest first.
   * @throws BadRequestError if the cursor is not valid here
   */
  list<Item>(orgId: string, query: PageQuery, show: (limit: Limit) => Item): Promise<Page<Item>> {
    const list: TableList<Limit> = {
      name: 'limits',
      table: 'limits',
      as: 'l',
      rows: Limit,
      order: {
        columns: ['l.created_at', 'l.id'],
        direction: 'desc',
        position: ({ createdAt, id }) => [createdAt.toISOString(), id],
      },
    };
    return this.lists.page(orgId, query, list, show);
  }

  /**
   * Returns one page of the parts of a limit that were used in the last ten minutes, ordered by name.
   * @throws BadRequestError if the cursor is not valid here
   */
  parts<Item>(
    orgId: string,
    id: string,
    query: PageQuery & { part?: string | undefined },
    show: (part: LimitPart) => Item,
  ): Promise<Page<Item>> {
    const { part } = query;
    const list: TableList<LimitPart> = {
      name: 'limit_parts',
      filters: { id, part },
      table: 'limit_counters',
      as: 'c',
      where: [sql`c.limit_id = ${id}::uuid`, plainSql(RECENT), part === undefined ? undefined : sql`c.part = ${part}`],
      rows: plainSql(COLUMNS),
      order: { columns: ['c.part'], direction: 'asc', position: row => [row.part] },
    };
    return this.lists.page(orgId, query, list, show);
  }
}
