import { cx } from './cx.ts';
import type { Option } from './field.tsx';

interface SegmentsProps {
  label: string;
  value: string;
  options: readonly Option[];
  onChange: (value: string) => void;
  /** Whether the group has three columns, for long names. */
  inRows?: boolean;
}

/**
 * Number of columns that the last entry takes on narrow screens, by the number of entries in its row. It fills the rest
 * of the row.
 */
const LAST = ['', 'max-sm:col-span-3', 'max-sm:col-span-2'] as const;

/**
 * A group of radio buttons in one line, for a few values. With more than four values, it has several rows on narrow
 * screens.
 */
export function Segments({ label, value, options, onChange, inRows = false }: SegmentsProps) {
  return (
    <div
      role="radiogroup"
      aria-label={label}
      className={cx(
        'max-w-full gap-px overflow-clip rounded border border-line bg-line',
        inRows
          ? 'grid grid-cols-2 sm:grid-cols-3'
          : options.length > 4
            ? 'inline-flex items-stretch max-sm:grid max-sm:w-full max-sm:grid-cols-3 max-sm:in-[search]:w-auto max-sm:in-[search]:flex-[1_1_75%]'
            : 'inline-flex flex-wrap items-stretch',
      )}
    >
      {options.map(([each, name], at) => (
        <label
          key={each}
          className={cx(
            'relative flex min-h-7.5 grow cursor-pointer items-center justify-center px-2.5 whitespace-nowrap has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-accent',
            options.length > 4 && at === options.length - 1 && LAST[options.length % 3],
            each === value ? 'bg-wash font-medium text-accent' : 'bg-surface text-muted hover:text-ink',
          )}
        >
          <input
            type="radio"
            name={label}
            value={each}
            checked={each === value}
            onChange={() => onChange(each)}
            className="absolute inset-0 cursor-pointer appearance-none outline-none"
          />
          {name}
        </label>
      ))}
    </div>
  );
}
