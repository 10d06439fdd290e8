import { useWindowVirtualizer, type Range } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore, type ReactNode } from 'react';
import type { List } from '../../data/use-api.ts';
import { count, plural } from '../../data/format.ts';
import { Button } from '../button.tsx';
import { Failure, Skeleton } from '../states.tsx';
import type { Column, Sort } from './columns.ts';
import { TableHead } from './table-head.tsx';
import { TableRow } from './table-row.tsx';

interface DataTableProps<Row> {
  /** Accessible name of the table. */
  caption: string;
  /**
   * Singular and plural of the word for a row: `['entry', 'entries']`. By default, they are derived from the caption.
   */
  noun?: readonly [one: string, many: string];
  columns: readonly Column<Row>[];
  list: List<Row>;
  rowKey: (row: Row) => string;
  /** Shown instead of the table if the list is empty: `Empty` or `FilteredEmpty`. */
  empty: ReactNode;
  sort?: Sort;
  onSort?: (sort: Sort) => void;
  /** Key of the row whose sheet is open. */
  opened?: string | undefined;
  /** Whether cells have their second line at all widths. */
  twoLines?: boolean;
  /** Tailwind color of the bar at the start of a row: `before:bg-critical`. */
  mark?: (row: Row) => string | undefined;
}

/** Height of a row in pixels, with one line and with two. */
const ROW = 36;
const TWO_LINES = 52;

/** Number of rows up to which the table renders all rows. */
const ALL_UP_TO = 150;

/**
 * Numbers of rows that are rendered outside of the window: in the direction of scrolling, and in the opposite
 * direction.
 */
const AHEAD = 8;
const BEHIND = 2;

/**
 * A list of the API as a table. It loads the next page near the end, and renders only visible rows. The first cell
 * should contain a link: a press anywhere in the row follows it, and `j`, `k` and Enter move between the links.
 */
export function DataTable<Row>({
  caption,
  noun = nounOf(caption),
  columns,
  list,
  rowKey,
  empty,
  sort,
  onSort,
  opened,
  twoLines = false,
  mark,
}: DataTableProps<Row>) {
  const { items, isPending, error, hasMore, isLoadingMore, more, retry } = list;
  const isNarrow = useIsNarrow();
  const hasBelow = (twoLines || isNarrow) && columns.some(({ below }) => below !== undefined);
  const height = hasBelow ? TWO_LINES : ROW;
  const body = useRef<HTMLTableSectionElement>(null);
  const [top, setTop] = useState(0);
  const isVirtual = items.length > ALL_UP_TO;
  const directionOf = useRef<'forward' | 'backward'>('forward');
  const virtual = useWindowVirtualizer({
    count: isVirtual ? items.length : 0,
    estimateSize: () => height,
    overscan: AHEAD,
    rangeExtractor: range => rowsAround(range, directionOf.current),
    scrollMargin: top,
    useFlushSync: false,
  });
  useLayoutEffect(() => {
    directionOf.current = virtual.scrollDirection ?? directionOf.current;
  });
  // Reading the position forces a layout, so it is skipped while somebody scrolls.
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- runs after every render: the content above may move the table
  useLayoutEffect(() => {
    if (virtual.isScrolling) return;
    const offset = (body.current?.getBoundingClientRect().top ?? 0) + window.scrollY;
    if (Math.abs(offset - top) > 1) setTop(offset);
  });
  useLayoutEffect(() => virtual.measure(), [virtual, height]);
  const shown = virtual.getVirtualItems();
  const first = isVirtual ? (shown[0]?.index ?? 0) : 0;
  const last = isVirtual ? (shown.at(-1)?.index ?? -1) : items.length - 1;

  useEffect(() => {
    if (isVirtual && hasMore && !isLoadingMore && last >= items.length - 20) more();
  }, [isVirtual, last, items.length, hasMore, isLoadingMore, more]);

  if (isPending) return <Skeleton label={`Loading ${caption.toLowerCase()}`} />;
  if (error && items.length === 0) return <Failure error={error} onRetry={retry} />;
  if (items.length === 0) return empty;
  return (
    <div className="min-w-0" aria-busy={list.isFetching}>
      <table
        aria-label={caption}
        aria-rowcount={list.total ?? (hasMore ? -1 : items.length)}
        className="w-full table-fixed border-separate border-spacing-0"
      >
        <TableHead columns={columns} sort={sort} onSort={onSort} />
        <tbody ref={body}>
          <Space height={first * height} columns={columns.length} />
          {items.slice(first, last + 1).map((row, at) => (
            <TableRow
              key={rowKey(row)}
              row={row}
              columns={columns}
              index={first + at}
              isOpened={rowKey(row) === opened}
              mark={mark?.(row)}
              hasBelow={hasBelow}
            />
          ))}
          <Space height={(items.length - 1 - last) * height} columns={columns.length} />
        </tbody>
      </table>
      <output className="flex min-h-10 items-center gap-3 pt-2 text-small text-muted">
        {hasMore ? (
          <>
            <Button small onClick={more} busy={isLoadingMore}>
              Show more
            </Button>
            {count(items.length)} {list.total === undefined ? 'shown' : `of ${count(list.total)}`}
          </>
        ) : (
          plural(items.length, ...noun)
        )}
        {error && <span className="text-critical">{error.message}</span>}
      </output>
    </div>
  );
}

/**
 * The indexes of the rows to render. More rows are rendered ahead than behind, because the rows behind were just
 * visible.
 */
function rowsAround({ startIndex, endIndex, count }: Range, direction: 'forward' | 'backward'): number[] {
  const [above, below] = direction === 'forward' ? [BEHIND, AHEAD] : [AHEAD, BEHIND];
  const [first, last] = [Math.max(0, startIndex - above), Math.min(count - 1, endIndex + below)];
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}

/** One row that is as high as all rows that are not rendered at this place. */
function Space({ height, columns }: { height: number; columns: number }) {
  if (height <= 0) return null;
  return (
    <tr aria-hidden>
      {/* oxlint-disable-next-line jsx-a11y/control-has-associated-label -- it has no content */}
      <td colSpan={columns} style={{ height }} />
    </tr>
  );
}

/** Derives the words for a row from the caption: `Policies` gives `policy` and `policies`. */
function nounOf(caption: string): readonly [one: string, many: string] {
  const many = caption.toLowerCase();
  return [many.replace(/ies$/, 'y').replace(/s$/, ''), many];
}

/** The screen width below which tables hide columns. It equals the breakpoint `md` of the styles. */
const NARROW = matchMedia('(width < 56rem)');

function subscribe(reader: () => void): () => void {
  NARROW.addEventListener('change', reader);
  return () => NARROW.removeEventListener('change', reader);
}

/** Whether the screen is narrow. */
function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => NARROW.matches);
}
