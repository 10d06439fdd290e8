import { ArrowDown, ArrowUp, ArrowUpDown } from 'lucide-react';
import { cx } from '../cx.ts';
import { ariaSort, firstNarrowOf, lastNarrowOf, nextSort, type Column, type Sort } from './columns.ts';

interface TableHeadProps<Row> {
  columns: readonly Column<Row>[];
  sort: Sort;
  onSort: ((sort: Sort) => void) | undefined;
}

/** The column headers. The headers of sortable columns are buttons. */
export function TableHead<Row>({ columns, sort, onSort }: TableHeadProps<Row>) {
  return (
    // The group of rows is sticky instead of its cells, so that the browser moves only one element during scrolling.
    <thead className="sticky top-12 z-10 bg-paper in-[.sheet-body]:top-0 in-[.sheet-body]:bg-surface">
      <tr>
        {columns.map(({ id, head, align, width, wideOnly, sort: by, sortsUp }, column) => (
          <th
            key={id}
            scope="col"
            aria-sort={ariaSort(sort, by)}
            className={cx(
              'label h-8 border-b border-ink/70 px-2 text-left whitespace-nowrap first:pl-0 last:pr-0 md:px-3',
              align === 'end' && 'text-right',
              wideOnly && 'max-md:hidden',
              column === firstNarrowOf(columns) && 'max-md:pl-0',
              column === lastNarrowOf(columns) && 'max-md:pr-0',
              width,
            )}
          >
            {by === undefined || onSort === undefined ? (
              head
            ) : (
              <SortButton
                head={head}
                state={ariaSort(sort, by)}
                atEnd={align === 'end'}
                onPress={() => onSort(nextSort(sort, by, sortsUp))}
              />
            )}
          </th>
        ))}
      </tr>
    </thead>
  );
}

function SortButton({
  head,
  state,
  atEnd,
  onPress,
}: {
  head: string;
  state: ReturnType<typeof ariaSort>;
  /** The arrow comes before the label, so that the label is aligned with the figures below it. */
  atEnd: boolean;
  onPress: () => void;
}) {
  const Icon = state === undefined ? ArrowUpDown : state === 'ascending' ? ArrowUp : ArrowDown;
  return (
    <button
      type="button"
      onClick={onPress}
      className={cx('inline-flex min-h-6 items-center gap-1 hover:text-ink', atEnd && 'flex-row-reverse')}
    >
      {head}
      <Icon size={12} aria-hidden className={state === undefined ? 'opacity-50' : 'text-accent'} />
    </button>
  );
}
