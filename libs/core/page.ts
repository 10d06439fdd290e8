/** Page size if the caller gives none (interface specification, section 8). */
export const DEFAULT_PAGE_LIMIT = 25;

/** Maximum page size (interface specification, section 8). */
export const MAX_PAGE_LIMIT = 100;

/** Cursor and size of a page. */
export interface PageQuery {
  /** `next_cursor` of the previous page. Default: the first page. */
  cursor?: string | undefined;
  /** 1 to 100. Default: 25. */
  limit?: number | undefined;
}

/** One page of a list, as every list endpoint returns it (interface specification, section 2.5). */
export interface Page<T> {
  items: T[];
  /** Opaque; null on the last page. */
  next_cursor: string | null;
  has_more: boolean;
  /** Exact up to 10,000, an estimate beyond. */
  total_count?: number;
}

/**
 * Creates a page from rows that were fetched with a limit one above the page size. The extra row only shows that there
 * are more rows. `cursorAfter` creates the cursor from the last row of the page.
 */
export function pageOf<Row, Item>(
  rows: readonly Row[],
  limit: number,
  show: (row: Row) => Item,
  cursorAfter: (row: Row) => string,
  totalCount?: number,
): Page<Item> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const more = rows.length > limit && last !== undefined;
  return {
    items: shown.map(show),
    next_cursor: more ? cursorAfter(last) : null,
    has_more: more,
    ...(totalCount === undefined ? {} : { total_count: totalCount }),
  };
}
