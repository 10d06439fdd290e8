import { Link } from '@tanstack/react-router';
import type { ComponentProps, ReactNode } from 'react';

type Search = Record<string, string | undefined>;

interface PageLinkProps extends Omit<ComponentProps<'a'>, 'href'> {
  /** Path of a page, from its root: `/incidents/0190…`. */
  to: string;
  /** Filters of the linked page. The time range is always kept. */
  search?: Search;
  /** Whether all filters of the open page are kept. Set it in links to the page's own sheets. */
  keep?: boolean;
  /** Whether the page scrolls to the top. If false, it keeps its scroll position. Default: true. */
  resetScroll?: boolean;
  children: ReactNode;
}

/** A link to another page of the dashboard. */
export function PageLink({ to, search, keep = false, children, ...rest }: PageLinkProps) {
  return (
    <Link
      {...rest}
      to={to}
      search={(previous: Search) => (keep ? { ...previous, ...search } : { range: previous['range'], ...search })}
    >
      {children}
    </Link>
  );
}
