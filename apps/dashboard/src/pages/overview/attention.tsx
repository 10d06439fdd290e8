import { CircleCheck } from 'lucide-react';
import { count } from '../../data/format.ts';
import { cx } from '../../parts/cx.ts';
import { Mark } from '../../parts/marks.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Section } from '../../parts/page.tsx';
import { Ago } from '../../parts/time.tsx';
import { severityBar } from '../../parts/tone.ts';
import { needsOf, type Need } from './needs.ts';
import type { Overview } from './overview-data.ts';

const SEVERITIES = ['critical', 'high', 'medium', 'low'] as const;

/** Everything that waits for a person, in one list across the page. */
export function Attention({ overview }: { overview: Overview }) {
  const needs = needsOf(overview);
  return (
    <Section title="Needs attention" aside={overview.incidents && <Open counts={overview.incidents.open} />}>
      {needs.length === 0 ? (
        <p className="flex items-center gap-2 py-6 text-lead">
          <CircleCheck size={18} aria-hidden className="text-ok" />
          Nothing needs your attention.
        </p>
      ) : (
        <ul>
          {needs.map(need => (
            <NeedRow key={`${need.to} ${need.key}`} need={need} />
          ))}
        </ul>
      )}
    </Section>
  );
}

/** How many incidents are open, by severity. */
function Open({ counts }: { counts: Record<(typeof SEVERITIES)[number], number> }) {
  return (
    <span className="flex flex-wrap items-center gap-x-4">
      {SEVERITIES.filter(severity => counts[severity] > 0).map(severity => (
        <PageLink
          key={severity}
          to="/incidents"
          search={{ severity }}
          className="inline-flex min-h-6 items-center hover:underline"
        >
          <Mark of={severity} word={`${count(counts[severity])} ${severity}`} />
        </PageLink>
      ))}
    </span>
  );
}

function NeedRow({ need: { mark, word, what, about, at, isEnd, to } }: { need: Need }) {
  return (
    <li
      data-row
      className={cx(
        'relative grid min-h-9 grid-cols-[1fr_auto] items-center gap-x-3 border-b border-line py-1 hover:bg-sunken md:grid-cols-[8.75rem_minmax(12rem,20rem)_1fr_auto]',
        'before:absolute before:inset-y-1.5 before:-left-3 before:w-0.5',
        severityBar(mark),
      )}
    >
      <Mark of={mark} {...(word !== undefined && { word })} />
      <PageLink
        to={to}
        className="min-w-0 truncate font-medium after:absolute after:inset-0 max-md:col-span-2 max-md:row-start-2"
      >
        <bdi>{what}</bdi>
      </PageLink>
      <span className="min-w-0 truncate text-muted max-md:col-span-2 max-md:row-start-3">
        <bdi>{about}</bdi>
      </span>
      <span className="text-right text-muted max-md:col-start-2 max-md:row-start-1">
        {isEnd && 'ends '}
        <Ago at={at} />
      </span>
    </li>
  );
}
