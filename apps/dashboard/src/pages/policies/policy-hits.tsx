import { BarStrip, type StripBar } from '../../charts/bar-strip.tsx';
import { count, plural } from '../../data/format.ts';
import { addDays, dayOf, shortDay, startOfDay } from '../../data/time.ts';
import { useList, type ItemOf } from '../../data/use-api.ts';
import { Section } from '../../parts/page.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Failure, Skeleton } from '../../parts/states.tsx';
import { Ago, useNow, useZone } from '../../parts/time.tsx';

/** Number of days in the chart, including today. Decision records are kept longer. */
const DAYS = 30;

/** Hits of a policy per day. */
export function PolicyHits({ id }: { id: string }) {
  const zone = useZone();
  const today = dayOf(new Date(useNow()), zone);
  const first = addDays(today, 1 - DAYS);
  const list = useList('listPolicyHitWindows', { id, since: startOfDay(first, zone).toISOString() });
  const { items, isPending, error, retry } = list;
  const last = items[0];
  return (
    <Section title="Hits" aside={`Days in ${zone}`} list={list}>
      {isPending && <Skeleton lines={2} label="Loading hits" />}
      {error && <Failure error={error} onRetry={retry} />}
      {!isPending && !error && last === undefined && (
        <p className="py-2 text-muted">No call has matched in the last {DAYS} days.</p>
      )}
      {last && (
        <>
          <BarStrip
            bars={barsOf(items, first, zone)}
            words={`${sumOf(items)} in ${DAYS} days`}
            unit="days"
            tick={({ id }) => shortDay(startOfDay(id, zone).toISOString(), zone)}
          />
          <p className="flex flex-wrap justify-between gap-x-4 text-small text-muted">
            <span>
              Last hit <Ago at={last.last_hit_at} />
            </span>
            <PageLink to="/decisions" search={{ policy_id: id, range: '30d' }} className="link">
              View decisions
            </PageLink>
          </p>
        </>
      )}
    </Section>
  );
}

type Window = ItemOf<'listPolicyHitWindows'>;

/** One bar per day, including days without hits. */
function barsOf(windows: readonly Window[], first: string, zone: string): StripBar[] {
  const byDay = new Map(windows.map(window => [dayOf(window.window_start, zone), window]));
  return Array.from({ length: DAYS }, (_, at) => {
    const id = addDays(first, at);
    const { hits = 0, refused = 0 } = byDay.get(id) ?? {};
    const day = shortDay(startOfDay(id, zone).toISOString(), zone);
    return { id, good: hits - refused, bad: refused, words: `${day}: ${inWords(hits, refused)}` };
  });
}

function sumOf(windows: readonly Window[]): string {
  const sum = (of: (window: Window) => number): number => windows.reduce((total, window) => total + of(window), 0);
  return inWords(
    sum(({ hits }) => hits),
    sum(({ refused }) => refused),
  );
}

function inWords(hits: number, refused: number): string {
  return hits === 0 ? 'no hits' : `${plural(hits, 'hit')}, ${count(refused)} not allowed`;
}
