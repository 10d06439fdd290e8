import { memo } from 'react';
import { cx } from '../cx.ts';
import { follow } from '../follow.ts';
import { firstNarrowOf, lastNarrowOf, type Column } from './columns.ts';

interface TableRowProps<Row> {
  row: Row;
  columns: readonly Column<Row>[];
  /** Index of the row in the list, from 0. */
  index: number;
  /** Whether the sheet of the row is open. */
  isOpened: boolean;
  /** Classes of the bar at the start of the row. */
  mark: string | undefined;
  /** Whether the cells of the row have their second line. */
  hasBelow: boolean;
}

function PlainRow<Row>({ row, columns, index, isOpened, mark, hasBelow }: TableRowProps<Row>) {
  const [firstNarrow, lastNarrow] = [firstNarrowOf(columns), lastNarrowOf(columns)];
  // The first column can be hidden on narrow screens. The first visible one then has the bar too, which wide screens
  // do not show.
  const hasBar = (column: number): boolean => mark !== undefined && (column === 0 || column === firstNarrow);
  return (
    <tr
      data-row
      data-opened={isOpened || undefined}
      aria-rowindex={index + 2}
      onClick={follow}
      className={cx(
        // In this way, the browser evaluates `:has` only for the row below the pointer.
        'group row-hover hover:has-[a]:cursor-pointer data-opened:row-opened',
        hasBelow ? 'h-13' : 'h-9',
      )}
    >
      {columns.map(({ id, align, wideOnly, fits = align === 'end', cell, below }, column) => (
        <td
          key={id}
          className={cx(
            // The cell must not be able to scroll. Otherwise, it would scroll to show a focused link, and its text
            // would jump.
            'border-b border-line px-2 whitespace-nowrap first:pl-0 last:pr-0 md:px-3',
            column === firstNarrow && 'max-md:pl-0',
            column === lastNarrow && 'max-md:pr-0',
            align === 'end' && 'text-right tabular-nums',
            wideOnly && 'max-md:hidden',
            hasBar(column)
              ? // The bar lies left of the cell, so the cell must not cut off its content. The content does that.
                cx(
                  'relative before:absolute before:inset-y-1.5 before:-left-3 before:w-0.5',
                  column !== 0 && 'md:before:hidden',
                  mark,
                )
              : // The cell is `relative` so that it also cuts off text that only screen readers read.
                !fits && 'relative overflow-clip text-ellipsis',
          )}
        >
          {hasBar(column) && !fits ? (
            <span className="relative -m-1 block overflow-clip p-1 text-ellipsis">{cell(row)}</span>
          ) : (
            cell(row)
          )}
          {hasBelow && below && <span className="relative block truncate text-small text-muted">{below(row)}</span>}
        </td>
      ))}
    </tr>
  );
}

/**
 * A row of a table. React renders it again only if one of its properties has changed, and not at each step of
 * scrolling.
 */
// The type of `memo` loses the type parameter of the component.
export const TableRow = memo(PlainRow) as unknown as typeof PlainRow;
