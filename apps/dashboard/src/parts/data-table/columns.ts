import type { ReactNode } from 'react';

/** A column of a table. */
export interface Column<Row> {
  id: string;
  head: string;
  /** Alignment. Use `end` for figures; it also aligns their digits. */
  align?: 'end';
  /** Tailwind width of the column: `w-32`. One column of a table should have no width and take the remaining space. */
  width?: string;
  /** Hides the column on narrow screens. The sheet of the row must then show its content. */
  wideOnly?: boolean;
  /**
   * Whether the content always fits, so that the cell need not cut it off. Each cell that cuts off its content makes
   * scrolling slower.
   */
  fits?: boolean;
  /** Value of the API's `sort` for this column; missing if the API cannot sort by it. */
  sort?: string;
  /** Whether the first press on the column header sorts ascending, such as for times in the future. */
  sortsUp?: boolean;
  cell: (row: Row) => ReactNode;
  /**
   * Second line of the cell. It is shown on narrow screens, for the content of columns that are hidden there. In a
   * table with `twoLines`, it is shown at all widths. It makes rows higher.
   */
  below?: (row: Row) => ReactNode;
}

/** Index of the first column that narrow screens show. */
export function firstNarrowOf(columns: readonly Pick<Column<never>, 'wideOnly'>[]): number {
  return columns.findIndex(({ wideOnly }) => wideOnly !== true);
}

/** Index of the last column that narrow screens show. */
export function lastNarrowOf(columns: readonly Pick<Column<never>, 'wideOnly'>[]): number {
  return columns.findLastIndex(({ wideOnly }) => wideOnly !== true);
}

/** Sort order of a list: a value of the API, with `-` before it for descending. */
export type Sort = string | undefined;

/**
 * The order after a press on a column header. Successive presses lead to descending, ascending, and the API's default.
 * If `isUp` is true, ascending comes first.
 */
export function nextSort(current: Sort, column: string, isUp = false): Sort {
  const orders = isUp ? [column, `-${column}`] : [`-${column}`, column];
  return orders[current === undefined ? 0 : orders.indexOf(current) + 1];
}

/** The value of `aria-sort` for a column. */
export function ariaSort(current: Sort, column: string | undefined): 'ascending' | 'descending' | undefined {
  if (column === undefined) return undefined;
  if (current === column) return 'ascending';
  return current === `-${column}` ? 'descending' : undefined;
}
