import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';

type Values<Name extends string> = Partial<Record<Name, string | undefined>>;

/** The filters of a page. They are stored only in the address. To remove a filter, set it to undefined or ''. */
export function useFilters<Name extends string>(): [Values<Name>, (change: Values<Name>) => void] {
  // The query of the address has the same type on all pages: names and strings. A page reads only the names that it
  // knows.
  const search = useSearch({ strict: false }) as Values<Name>;
  const navigate = useNavigate();
  const set = useCallback(
    (change: Values<Name>) =>
      void navigate({
        to: '.',
        replace: true,
        resetScroll: false,
        search: (previous: Values<string>) => withoutEmpty({ ...previous, ...change }),
      }),
    [navigate],
  );
  return [search, set];
}

/** Returns the value of a filter only if it is valid, because an address may contain anything. */
export function oneOf<const Value extends string>(
  value: string | undefined,
  known: readonly Value[],
): Value | undefined {
  return known.find(each => each === value);
}

function withoutEmpty(values: Values<string>): Values<string> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== ''));
}
