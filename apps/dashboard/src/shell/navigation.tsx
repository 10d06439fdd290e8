import { useLocation } from '@tanstack/react-router';
import { opens, useMe } from '../data/scopes.ts';
import { cx } from '../parts/cx.ts';
import { PageLink } from '../parts/page-link.tsx';
import { GROUPS, pageOf, PAGES } from './page-table.ts';

/** The pages in four groups. Pages that the person may not read are not listed. */
export function Navigation({ onGo }: { onGo?: () => void }) {
  const me = useMe();
  const open = pageOf(useLocation({ select: ({ pathname }) => pathname }));
  return (
    <nav aria-label="Pages" className="flex flex-col gap-4">
      {GROUPS.map(group => {
        const pages = PAGES.filter(page => page.group === group && opens(me, page));
        if (pages.length === 0) return null;
        return (
          <div key={group}>
            <h2 id={`group-${group}`} className="px-3 pb-1 text-tiny font-medium tracking-[0.04em] text-muted">
              {group}
            </h2>
            <ul aria-labelledby={`group-${group}`}>
              {pages.map(({ path, title, icon: Icon, key }) => {
                const isOpen = open?.path === path;
                return (
                  <li key={path}>
                    <PageLink
                      to={`/${path}`}
                      aria-current={isOpen ? 'page' : undefined}
                      aria-keyshortcuts={`g ${key}`}
                      {...(onGo && { onClick: onGo })}
                      className={cx(
                        'group relative flex h-7 items-center gap-2.5 rounded px-3',
                        isOpen
                          ? 'bg-wash font-medium text-ink before:absolute before:inset-y-1.5 before:left-0 before:w-0.5 before:rounded-full before:bg-accent'
                          : 'text-muted hover:bg-sunken hover:text-ink',
                      )}
                    >
                      <Icon size={15} strokeWidth={1.75} aria-hidden className={isOpen ? 'text-accent' : ''} />
                      {title}
                    </PageLink>
                  </li>
                );
              })}
            </ul>
          </div>
        );
      })}
    </nav>
  );
}
