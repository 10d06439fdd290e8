import type { LucideIcon } from 'lucide-react';
import type { ComponentProps } from 'react';

type FilterInputProps = Omit<ComponentProps<'input'>, 'type' | 'className'> & { icon: LucideIcon };

/** Input of a text filter, with an icon before the text. Its parent must be `relative`. */
export function FilterInput({ icon: Icon, ...input }: FilterInputProps) {
  return (
    <>
      <Icon
        size={14}
        strokeWidth={1.75}
        aria-hidden
        className="pointer-events-none absolute top-2.25 left-2.5 text-muted"
      />
      <input
        type="search"
        data-filter
        {...input}
        className="h-8 w-full rounded border border-line bg-surface pr-2 pl-8 text-ellipsis placeholder:text-muted hover:border-control"
      />
    </>
  );
}
