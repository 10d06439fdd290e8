import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Outlet, useLocation } from '@tanstack/react-router';
import { Tooltip } from '@base-ui/react/tooltip';
import { Fragment, useCallback, useEffect, useRef, useState } from 'react';
import { ApiError } from '../data/api-error.ts';
import { topicsFor } from '../data/live-topics.ts';
import { startLive } from '../data/live.ts';
import { MeContext, opens, useMe } from '../data/scopes.ts';
import { ME } from '../data/session.ts';
import { Failure, Forbidden, Skeleton } from '../parts/states.tsx';
import { Toasts } from '../parts/toasts.tsx';
import { ended, useEnded } from './ended.ts';
import { KeyHelp } from './key-help.tsx';
import { useKeys } from './keys.ts';
import { LedgerMark } from './ledger-mark.tsx';
import { buttonClass } from '../parts/button.tsx';
import { PageLink } from '../parts/page-link.tsx';
import { Navigation } from './navigation.tsx';
import { pageOf, PAGES, type PageEntry } from './page-table.ts';
import { Palette } from './palette.tsx';
import { IdleWarning, SignInAgain } from './session-dialogs.tsx';
import { SignInPage } from './sign-in.tsx';
import { TopBar } from './top-bar.tsx';

/** The frame of all pages: navigation, top bar, command palette, keyboard shortcuts and session dialogs. */
export function Frame() {
  const me = useQuery(ME);
  const hasEnded = useEnded();
  if (me.data !== undefined) {
    return (
      <MeContext value={me.data}>
        <Signed />
        <SignInAgain open={hasEnded} onDone={() => ended(false)} />
      </MeContext>
    );
  }
  if (me.error instanceof ApiError && me.error.status === 401) return <SignInPage onDone={() => ended(false)} />;
  if (me.error !== null) {
    const error = me.error instanceof ApiError ? me.error : new ApiError(0, me.error.message);
    return (
      <main className="mx-auto max-w-2xl pt-24">
        <h1 className="sr-only">LLM governance</h1>
        <Failure error={error} onRetry={() => void me.refetch()} />
      </main>
    );
  }
  return (
    <main className="mx-auto max-w-5xl px-8 pt-24">
      <Skeleton />
    </main>
  );
}

function Signed() {
  const [isPalette, setPalette] = useState(false);
  const [isHelp, setHelp] = useState(false);
  const openPalette = useCallback(() => setPalette(true), []);
  const openHelp = useCallback(() => setHelp(true), []);
  useKeys({ palette: openPalette, help: openHelp });
  const client = useQueryClient();
  const topics = topicsFor(useMe().scopes);
  useEffect(() => (topics === '' ? undefined : startLive(client, topics)), [client, topics]);
  return (
    <Tooltip.Provider>
      <a
        href="#main"
        className="sr-only z-50 focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:bg-surface focus:p-2"
        onClick={skip}
      >
        Skip to content
      </a>
      <div className="flex min-h-dvh">
        <aside className="w-52 shrink-0 border-r border-line max-md:hidden">
          <div className="sticky top-0 flex h-dvh flex-col gap-5 overflow-y-auto px-3 py-3.5">
            <p className="flex items-center gap-2 px-3 font-semibold tracking-[-0.01em]">
              <LedgerMark /> LLM governance
            </p>
            <Navigation />
          </div>
        </aside>
        <div className="flex min-w-0 flex-1 flex-col">
          <TopBar onSearch={openPalette} onHelp={openHelp} />
          <CurrentPage />
        </div>
      </div>
      <Palette open={isPalette} onClose={() => setPalette(false)} />
      <KeyHelp open={isHelp} onClose={() => setHelp(false)} />
      <IdleWarning />
      <Toasts />
    </Tooltip.Provider>
  );
}

function skip(event: { preventDefault: () => void }): void {
  event.preventDefault();
  document.querySelector<HTMLElement>('#main')?.focus();
}

function CurrentPage() {
  const page = useLocation({ select: ({ pathname }) => pageOf(pathname) });
  const me = useQuery(ME).data;
  const path = page?.path;
  const main = useRef<HTMLElement>(null);
  const before = useRef(path);
  // Moves the focus to the title of a new page, so that screen readers read it.
  useEffect(() => {
    if (before.current !== path) main.current?.querySelector('h1')?.focus({ preventScroll: true });
    before.current = path;
  }, [path]);
  return (
    <main id="main" ref={main} tabIndex={-1} className="min-w-0 flex-1 outline-none">
      {me && page && !opens(me, page) ? (
        <div className="px-4 pt-5 md:px-8">
          <h1 className="text-title font-semibold">{page.title}</h1>
          <Refused scopes={page.scopes} first={PAGES.find(each => opens(me, each))} />
        </div>
      ) : (
        <Outlet />
      )}
    </main>
  );
}

/** Says which permission a page needs, and links to the first page that the person may open. */
function Refused({ scopes, first }: { scopes: readonly string[]; first: PageEntry | undefined }) {
  return (
    <Forbidden
      actions={
        first && (
          <PageLink to={`/${first.path}`} className={buttonClass()}>
            Go to {first.title}
          </PageLink>
        )
      }
    >
      Required permission:{' '}
      {scopes.map((scope, at) => (
        <Fragment key={scope}>
          {at > 0 && ' or '}
          <span className="font-mono text-small">{scope}</span>
        </Fragment>
      ))}
      .
    </Forbidden>
  );
}
