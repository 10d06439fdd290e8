import type { ReactNode } from 'react';

/** A column of a table. */
export interface Column<Row> {
  id: string;
  head: string;
  /** Use `end` for figures; it also aligns their digits. */
  align?: 'end';
  /** Tailwind width of the column: `w-32`. One column of a table should have none and take the rest. */
  width?: string;
  /** Hides the column on narrow screens; the sheet of the row must show it. */
  wideOnly?: boolean;
  /** Content that always fits is not cut off. Each cell that cuts its content off costs time while somebody scrolls. */
  fits?: boolean;
  /** Value of the API's `sort` for this column; missing if the API cannot sort by it. */
  sort?: string;
  cell: (row: Row) => ReactNode;
  /**
   * Second line of the cell on narrow screens, for the columns that are hidden there, and in a table with `twoLines` at all
   * widths. Rows become higher.
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

/** The next order after a press on a column header: descending, ascending, the API's default. */
export function nextSort(current: Sort, column: string): Sort {
  if (current === `-${column}`) return column;
  return current === column ? undefined : `-${column}`;
}

/** The value of `aria-sort` for a column. */
export function ariaSort(current: Sort, column: string | undefined): 'ascending' | 'descending' | undefined {
  if (column === undefined) return undefined;
  if (current === column) return 'ascending';
  return current === `-${column}` ? 'descending' : undefined;
}
