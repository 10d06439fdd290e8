import { useEffect, type ReactNode } from 'react';
import { cx } from './cx.ts';
import { DownloadCsv, type Downloadable } from './download-csv.tsx';

interface PageProps {
  title: string;
  /** One sentence beside the title. */
  lead?: ReactNode;
  /** Buttons at the right of the title. */
  actions?: ReactNode;
  children: ReactNode;
}

/** A page with title, actions and content. */
export function Page({ title, lead, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · LLM governance`;
  }, [title]);
  return (
    <div className="mx-auto flex w-full max-w-[90rem] flex-col gap-5 px-4 pt-5 pb-16 md:px-8">
      <header className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="min-w-0">
          <h1 tabIndex={-1} className="text-title font-semibold tracking-[-0.015em]">
            {title}
          </h1>
          {lead !== undefined && <p className="max-w-[90ch] text-pretty text-muted">{lead}</p>}
        </div>
        {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

interface SectionProps {
  title: string;
  /** Content on the right of the title. */
  aside?: ReactNode;
  /** The list below the title, for the CSV download. */
  list?: Downloadable;
  children: ReactNode;
  className?: string;
}

/** A section of a page or sheet, with a heading. */
export function Section({ title, aside, list, children, className }: SectionProps) {
  return (
    <section className={cx('flex min-w-0 flex-col', className)}>
      <div className="flex min-h-9 flex-wrap content-end items-baseline justify-between gap-x-4 border-b border-ink/70 pb-1.5">
        <h2 className="text-body font-semibold">{title}</h2>
        {(aside !== undefined || list !== undefined) && (
          <div className="flex grow items-center justify-end gap-2 text-small text-muted">
            {aside}
            {list && <DownloadCsv list={list} small />}
          </div>
        )}
      </div>
      {children}
    </section>
  );
}
