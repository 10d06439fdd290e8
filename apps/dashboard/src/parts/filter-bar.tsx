import { Search, X } from 'lucide-react';
import { useEffect, useState, type ReactNode } from 'react';
import { cx } from './cx.ts';
import type { Option } from './field.tsx';
import { Button } from './button.tsx';
import type { List } from '../data/use-api.ts';
import { DownloadCsv } from './download-csv.tsx';
import { FilterInput } from './filter-input.tsx';

interface FilterBarProps {
  /** Whether any filter is set. If so, the bar offers to clear the filters. */
  isFiltered: boolean;
  onClear: () => void;
  children: ReactNode;
  /** Content on the right side, such as totals. */
  aside?: ReactNode;
  /** The filtered list, for the CSV download. */
  list?: Pick<List<unknown>, 'items' | 'name' | 'csv' | 'isPending' | 'error'>;
  /** Whether the bar is hidden if the list has no rows even without filters. */
  hidesIfEmpty?: boolean;
}

/** The bar with the filters of a list, above the list. */
export function FilterBar({ isFiltered, onClear, children, aside, list, hidesIfEmpty = false }: FilterBarProps) {
  const isEmpty = list !== undefined && !list.isPending && list.error === null && list.items.length === 0;
  if (hidesIfEmpty && isEmpty && !isFiltered) return null;
  return (
    <search aria-label="Filters" className="flex flex-wrap items-center gap-2">
      {children}
      {isFiltered && (
        <Button kind="quiet" icon={X} onClick={onClear} className="max-sm:-ml-3">
          Clear filters
        </Button>
      )}
      {(aside !== undefined || list !== undefined) && (
        <div className="ml-auto flex flex-wrap items-center gap-3 text-small text-muted empty:hidden max-sm:gap-1">
          {aside}
          {list && <DownloadCsv list={list} />}
        </div>
      )}
    </search>
  );
}

interface FilterSelectProps {
  label: string;
  value: string | undefined;
  options: readonly Option[];
  onChange: (value: string | undefined) => void;
  /** Label of the option that stands for all values. */
  all?: string;
}

/** A filter with a few values. Shows its own name until a value is chosen. */
export function FilterSelect({
  label,
  value,
  options,
  onChange,
  all = `Any ${label.toLowerCase()}`,
}: FilterSelectProps) {
  return (
    <select
      aria-label={label}
      value={value ?? ''}
      onChange={event => onChange(event.target.value || undefined)}
      className={cx(
        'select h-8 max-w-40 rounded border bg-surface pl-2.5 max-sm:min-w-0 max-sm:max-w-none max-sm:flex-[1_1_40%]',
        value === undefined ? 'border-line text-muted hover:border-control' : 'border-accent font-medium text-accent',
      )}
    >
      <option value="">{all}</option>
      {options.map(([value, name]) => (
        <option key={value} value={value}>
          {name}
        </option>
      ))}
    </select>
  );
}

interface FilterTextProps {
  label: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
  placeholder?: string;
}

/** Milliseconds after the last key press until the filter applies. */
const SETTLE = 250;

/** A text filter. The key `/` moves the cursor into the first text filter of a page. */
export function FilterText({ label, value = '', onChange, placeholder = label }: FilterTextProps) {
  const [text, setText] = useState(value);
  const [known, setKnown] = useState(value);
  // The address was changed by something else: the back button, or the button that clears the filters.
  if (known !== value) {
    setKnown(value);
    setText(value);
  }
  useEffect(() => {
    if (text === value) return undefined;
    const timer = setTimeout(() => onChange(text || undefined), SETTLE);
    return () => clearTimeout(timer);
  }, [text, value, onChange]);
  return (
    <span className="relative w-56 max-w-full min-w-0 max-sm:w-auto max-sm:flex-[1_1_40%]">
      <FilterInput
        icon={Search}
        aria-label={label}
        placeholder={placeholder}
        value={text}
        onChange={event => setText(event.target.value)}
      />
    </span>
  );
}
