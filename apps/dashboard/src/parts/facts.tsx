import type { ReactNode } from 'react';

/** A name and its value. */
export type Fact = readonly [name: string, value: ReactNode];

/** A list of names and values, separated by dots. Entries with an undefined value are left out. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className="flex flex-col">
      {facts
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => (
          <div key={name} className="flex min-h-8 flex-wrap items-center gap-x-2 py-1">
            <dt className="text-muted">{name}</dt>
            <span aria-hidden className="leader" />
            <dd className="ml-auto min-w-0 max-w-full text-right wrap-anywhere">
              {value ?? <span className="text-muted">None</span>}
            </dd>
          </div>
        ))}
    </dl>
  );
}
