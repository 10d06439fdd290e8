import { CircleCheck } from 'lucide-react';
import { useState } from 'react';
import { count, plural } from '../../data/format.ts';
import { Button } from '../../parts/button.tsx';
import { cx } from '../../parts/cx.ts';
import { WithEmails } from '../../parts/email.tsx';
import { Mark } from '../../parts/marks.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Section } from '../../parts/page.tsx';
import { Ago, useZone } from '../../parts/time.tsx';
import { severityBar } from '../../parts/tone.ts';
import { needsOf, type Need } from './needs.ts';
import type { Overview } from './overview-data.ts';

const SEVERITIES = ['critical', 'high', 'medium', 'low'] as const;

/** Number of rows that are shown at first. It is small, so that the spending below stays visible without scrolling. */
const FIRST = 7;

/** Number of further rows that are shown without a button, because the button would need as much room. */
const SLACK = 2;

/** List of everything that needs attention. */
export function Attention({ overview }: { overview: Overview }) {
  const [isWhole, setWhole] = useState(false);
  const zone = useZone();
  const needs = needsOf(overview, zone);
  const shown = isWhole || needs.length <= FIRST + SLACK ? needs : needs.slice(0, FIRST);
  const open = Object.values(overview.incidents?.open ?? {}).reduce((sum, each) => sum + each, 0);
  return (
    <Section title="Needs attention" aside={overview.incidents && <Open counts={overview.incidents.open} />}>
      {needs.length === 0 ? (
        <p className="flex items-center gap-2 py-6 text-lead">
          <CircleCheck size={18} aria-hidden className="text-ok" />
          Nothing needs your attention.
        </p>
      ) : (
        <>
          <ul>
            {shown.map(need => (
              <NeedRow key={`${need.to} ${need.key}`} need={need} />
            ))}
          </ul>
          <p className="flex min-h-9 flex-wrap items-center gap-x-4 pt-1 text-small text-muted">
            {shown.length < needs.length && (
              <Button small onClick={() => setWhole(true)}>
                {`Show ${needs.length - shown.length} more`}
              </Button>
            )}
            {open > 0 && (
              <PageLink to="/incidents" className="link inline-flex min-h-6 items-center">
                {`All ${plural(open, 'open incident')}`}
              </PageLink>
            )}
            {overview.anomalies && (
              <PageLink
                to="/incidents"
                search={{ tab: 'anomalies', day: 'yesterday' }}
                className="link inline-flex min-h-6 items-center"
              >
                Check yesterday for anomalies
              </PageLink>
            )}
            <span className="ml-auto max-sm:ml-0">
              Times in {zone}
              <span className="max-md:hidden">; exact on hover</span>.
            </span>
          </p>
        </>
      )}
    </Section>
  );
}

/** Number of open incidents by severity. */
function Open({ counts }: { counts: Record<(typeof SEVERITIES)[number], number> }) {
  return (
    <span className="flex flex-wrap items-baseline gap-x-4">
      {SEVERITIES.filter(severity => counts[severity] > 0).map(severity => (
        <PageLink key={severity} to="/incidents" search={{ severity }} className="py-1 hover:underline">
          <Mark of={severity} word={`${count(counts[severity])} ${severity}`} />
        </PageLink>
      ))}
    </span>
  );
}

function NeedRow({ need: { mark, word, what, about, at, when, to, search } }: { need: Need }) {
  return (
    <li
      data-row
      className={cx(
        'relative grid min-h-9 grid-cols-[1fr_auto] items-center gap-x-3 border-b border-line py-1 row-hover md:grid-cols-[8.75rem_minmax(14rem,7fr)_6fr_11rem]',
        'before:absolute before:inset-y-1.5 before:-left-3 before:w-0.5',
        severityBar(mark),
      )}
    >
      <Mark of={mark} {...(word !== undefined && { word })} />
      <PageLink
        to={to}
        {...(search && { search })}
        className="line-clamp-2 min-w-0 font-medium wrap-anywhere after:absolute after:inset-0 max-md:col-span-2 max-md:row-start-2"
      >
        <WithEmails text={what} />
      </PageLink>
      <span className="min-w-0 text-muted wrap-anywhere max-md:col-span-2 max-md:row-start-3 max-md:line-clamp-2 md:truncate">
        <WithEmails text={about} />
      </span>
      <span className="text-right text-muted max-md:col-start-2 max-md:row-start-1">
        {when} <Ago at={at} />
      </span>
    </li>
  );
}
