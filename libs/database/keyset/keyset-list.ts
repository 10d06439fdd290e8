import type { EntityClass, EntityManager } from '@mikro-orm/postgresql';
import type { CursorPosition, Json } from '#core';
import { SCHEMA } from '../database.options.js';
import { sqlOf } from '../sql-transaction.js';
import { allOf, equal, joinSql, plainSql, sql, type Sql, type Statement } from './sql.js';

/** Identity of a list, signed into its cursors. */
export interface ListName {
  /** With the filters, binds a cursor to the list: no other list accepts it. */
  readonly name: string;
  /** Every value that the caller chose and that decides which rows the list holds. */
  readonly filters?: Readonly<Record<string, Json | undefined>>;
  /**
   * Keeps counts above 10,000 for a minute; with a function, every count as long as the version that it reads stays the
   * same. Default: each first page counts.
   */
  readonly keepCount?: true | ((em: EntityManager) => Promise<number>);
}

/** In which order a list is read, and how a row names its place. The columns together are unique. */
export interface KeysetOrder<Row> {
  readonly columns: readonly string[];
  readonly direction: 'asc' | 'desc';
  /** One value for each column. */
  position(row: Row): CursorPosition;
}

/** A list of the rows of a table. */
export interface TableList<Row extends object> extends ListName {
  readonly table: string;
  /** Alias of the table in all SQL of the list. */
  readonly as: string;
  /** Joins that decide which rows there are. */
  readonly joins?: string;
  /** Left joins with at most one row each, which only the columns need: the count goes without them. */
  readonly columnJoins?: string;
  /** Conditions beside the organization's; undefined ones are left out. */
  readonly where?: readonly (Sql | undefined)[];
  /** An entity, with all columns but those that it reads lazily, or columns as SQL. */
  readonly rows: EntityClass<Row> | Sql;
  readonly order: KeysetOrder<NoInfer<Row>>;
}

/** A list with custom SQL. */
export interface CustomList<Row extends object> extends ListName {
  /** At most `limit` rows after a position, or the first ones. */
  read(em: EntityManager, page: { limit: number; after: CursorPosition | undefined }): Promise<Row[]>;
  /** A statement that returns each row of the list once, in columns of its choice. */
  readonly counted: Statement;
  position(row: Row): CursorPosition;
}

/** Newest first, by an id that grows with time. */
export function newestFirst(id: string): KeysetOrder<{ id: string }> {
  return { columns: [id], direction: 'desc', position: row => [row.id] };
}

/** The statements of a table's list: count and page come from the same conditions. */
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
