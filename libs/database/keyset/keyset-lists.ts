import type { EntityManager } from '@mikro-orm/postgresql';
import { Clock, CursorSealer, DEFAULT_PAGE_LIMIT, digestFilters, pageOf, type Page, type PageQuery } from '#core';
import { OrgDatabase } from '../org-database.js';
import { sqlOf } from '../sql-transaction.js';
import { countRows, LongListCounts } from './counting.js';
import { listOfTable, type CustomList, type TableList } from './keyset-list.js';

/**
 * Reads lists by keyset pagination: rows that are added or deleted between two requests do not move other rows to
 * another page. If the first page is also the last, the count is its length. Otherwise the first page counts with an
 * extra statement, and later pages take the count from the cursor.
 */
export class KeysetLists {
  private readonly counts: LongListCounts;

  constructor(
    private readonly database: OrgDatabase,
    private readonly cursors: CursorSealer,
    clock: Clock,
  ) {
    this.counts = new LongListCounts(clock);
  }

  /**
   * One page, read in one snapshot.
   * @throws BadRequestError if the cursor is not valid for the list
   */
  async page<Row extends object, Item>(
    orgId: string,
    query: PageQuery,
    list: TableList<Row> | CustomList<Row>,
    show: (row: Row) => Item,
  ): Promise<Page<Item>> {
    return showPage(await this.database.snapshot(orgId, em => this.pageWithin(em, orgId, query, list)), show);
  }

  /** The rows of one page, read in a running transaction of the organization. @throws BadRequestError as {@link page} */
  async pageWithin<Row extends object>(
    em: EntityManager,
    orgId: string,
    { cursor, limit = DEFAULT_PAGE_LIMIT }: PageQuery,
    declared: TableList<Row> | CustomList<Row>,
  ): Promise<Page<Row>> {
    const list = 'read' in declared ? declared : listOfTable(orgId, declared);
    const digest = digestFilters(list.name, list.filters ?? {});
    const opened = cursor === undefined ? undefined : this.cursors.open(orgId, digest, cursor);
    const rows = await list.read(em, { limit: limit + 1, after: opened?.position });
    const isAll = !opened && rows.length <= limit;
    const totalCount = opened?.totalCount ?? (isAll ? rows.length : await this.count(em, `${orgId} ${digest}`, list));
    const cursorAfter = (row: Row): string =>
      this.cursors.seal(orgId, digest, { position: list.position(row), totalCount });
    return pageOf(rows, limit, row => row, cursorAfter, totalCount);
  }

  private async count<Row extends object>(
    em: EntityManager,
    key: string,
    { counted, keepCount }: CustomList<Row>,
  ): Promise<number> {
    const count = () => countRows(sqlOf(em), counted.sql, counted.parameters);
    if (keepCount === undefined) return count();
    return this.counts.of(key, count, keepCount === true ? undefined : await keepCount(em));
  }
}

/** Converts the items of a page for the response. */
export function showPage<Row, Item>(page: Page<Row>, show: (row: Row) => Item): Page<Item> {
  return { ...page, items: page.items.map(row => show(row)) };
}
