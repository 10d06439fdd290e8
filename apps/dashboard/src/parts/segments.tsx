import { cx } from './cx.ts';
import type { Option } from './field.tsx';

interface SegmentsProps {
  label: string;
  value: string;
  options: readonly Option[];
  onChange: (value: string) => void;
}

/** One of a few, all of them visible: a group of radio buttons in one line. */
export function Segments({ label, value, options, onChange }: SegmentsProps) {
  return (
    <div
      role="radiogroup"
      aria-label={label}
      className="inline-flex max-w-full flex-wrap items-stretch gap-px overflow-clip rounded border border-line bg-line"
    >
      {options.map(([each, name]) => (
        <label
          key={each}
          className={cx(
            'relative flex min-h-7.5 grow cursor-pointer items-center justify-center px-2.5 whitespace-nowrap has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-accent',
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
