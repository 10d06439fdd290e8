import type { EntityClass, EntityManager } from '@mikro-orm/postgresql';
import type { CursorPosition, Json } from '#core';
import { SCHEMA } from '../database.options.js';
import { sqlOf } from '../sql-transaction.js';
import { allOf, equal, joinSql, plainSql, sql, type Sql, type Statement } from './sql.js';

/** Identifies a list. The identity is bound to the list's cursors. */
export interface ListName {
  /** Together with the filters, binds a cursor to the list, so that no other list accepts it. */
  readonly name: string;
  /** All values of the request that determine which rows the list contains. */
  readonly filters?: Readonly<Record<string, Json | undefined>>;
  /**
   * How counts are cached. `true`: counts above 10,000, for a minute. A function returns the version of the data: every
   * count is cached for a minute, as long as the version is unchanged. Default: no cache.
   */
  readonly keepCount?: true | ((em: EntityManager) => Promise<number>);
}

/** Sort order of a list, and the sort key of a row. The columns together must be unique. */
export interface KeysetOrder<Row> {
  readonly columns: readonly string[];
  readonly direction: 'asc' | 'desc';
  /** The values of the sort columns in a row, one for each column. */
  position(row: Row): CursorPosition;
}

/** A list of the rows of a table. */
export interface TableList<Row extends object> extends ListName {
  readonly table: string;
  /** Alias of the table in all SQL parts of the list. */
  readonly as: string;
  /** Joins that affect which rows the list contains. */
  readonly joins?: string;
  /** Left joins that only columns use, with at most one row each. Counting omits them. */
  readonly columnJoins?: string;
  /** Conditions in addition to the filter by organization. Undefined entries are skipped. */
  readonly where?: readonly (Sql | undefined)[];
  /** The columns to read: an entity (all columns except lazy ones), or SQL. */
  readonly rows: EntityClass<Row> | Sql;
  readonly order: KeysetOrder<NoInfer<Row>>;
}

/** A list with custom SQL. */
export interface CustomList<Row extends object> extends ListName {
  /** Reads at most `limit` rows after a position, or from the start of the list. */
  read(em: EntityManager, page: { limit: number; after: CursorPosition | undefined }): Promise<Row[]>;
  /** A statement that returns each row of the list once. Its columns do not matter, because it is only counted. */
  readonly counted: Statement;
  position(row: Row): CursorPosition;
}

/** Newest first, by an id that grows with time. */
export function newestFirst(id: string): KeysetOrder<{ id: string }> {
  return { columns: [id], direction: 'desc', position: row => [row.id] };
}

/** Statements that count and read a table's list. Both use the same conditions. */
export function listOfTable<Row extends object>(orgId: string, list: TableList<Row>): CustomList<Row> {
  const { as, order, rows, joins = '', columnJoins = '' } = list;
  const where = allOf([...equal({ [`${as}.org_id`]: orgId }), ...(list.where ?? [])]);
  const from = plainSql(`from ${SCHEMA}.${list.table} ${as} ${joins}`);
  return {
    ...list,
    counted: sql`select 1 ${from} where ${where}`.statement,
    position: row => order.position(row),
    async read(em, { limit, after }) {
      const columns = typeof rows === 'function' ? columnsOf(em, rows, as) : rows;
      const place = after ? sql` and ${placeAfter(order, after)}` : plainSql('');
      const sorted = plainSql(order.columns.map(column => `${column} ${order.direction}`).join(', '));
      const page = sql`select ${columns} ${from} ${plainSql(columnJoins)} where ${where}${place} order by ${sorted} limit ${limit}`;
      const { sql: text, parameters } = page.statement;
      const found = await sqlOf(em).query<Row>(text, parameters);
      return typeof rows === 'function' ? found.map(row => em.map(rows, row)) : found;
    },
  };
}

function columnsOf<Row extends object>(em: EntityManager, entity: EntityClass<Row>, as: string): Sql {
  const read = em.getMetadata(entity).props.filter(({ lazy }) => lazy !== true);
  return plainSql(read.flatMap(({ fieldNames }) => fieldNames.map(name => `${as}.${name}`)).join(', '));
}

function placeAfter<Row>({ columns, direction }: KeysetOrder<Row>, after: CursorPosition): Sql {
  const values = joinSql(
    after.map(value => sql`${value}`),
    ', ',
  );
  return sql`(${plainSql(columns.join(', '))}) ${plainSql(direction === 'asc' ? '>' : '<')} (${values})`;
}
