import { ArrowDown, ArrowUp } from 'lucide-react';
import { useUsageSeries, type UsageSeries } from '../../data/usage-series.ts';
import { money } from '../../data/format.ts';
import { addDays } from '../../data/time.ts';
import { groupName, periodOf } from '../../charts/usage-stack.ts';
import { Email } from '../../parts/email.tsx';
import { follow } from '../../parts/follow.ts';
import { PageLink } from '../../parts/page-link.tsx';
import { Section } from '../../parts/page.tsx';
import { Failure, Skeleton } from '../../parts/states.tsx';
import { useZone } from '../../parts/time.tsx';
import { useRange } from '../../parts/use-range.ts';

const SHOWN = 6;

interface Mover {
  id: string;
  name: string;
  now: number;
  by: number;
}

/** The groups whose value differs most between two series. A group that is missing in one of the series is left out. */
function moversOf(now: UsageSeries, before: UsageSeries): Mover[] {
  const past = new Map(before.groups.map(({ key, total }) => [JSON.stringify(key), total]));
  return now.groups
    .flatMap(group => {
      const was = past.get(JSON.stringify(group.key)) ?? (before.other === null ? 0 : undefined);
      if (group.total === null || was === undefined || was === null || typeof group.key !== 'string') return [];
      return [{ id: group.key, name: groupName(group), now: group.total, by: group.total - was }];
    })
    .filter(({ by }) => Math.abs(by) >= 0.005)
    .toSorted((a, b) => Math.abs(b.by) - Math.abs(a.by))
    .slice(0, SHOWN);
}

/**
 * Spending by user, for the range and for as many days before it. The overview requests these figures before it is
 * rendered.
 */
export function useMovers(enabled = true) {
  const range = useRange();
  const zone = useZone();
  const days = (Date.parse(range.lastDay) - Date.parse(range.firstDay)) / 86_400_000 + 1;
  const query = { group_by: 'user', metric: 'cost_usd', period: periodOf(range), time_zone: zone, top: 100 };
  const now = useUsageSeries({ ...query, start_date: range.firstDay, end_date: range.lastDay }, enabled);
  const start_date = addDays(range.firstDay, -days);
  const before = useUsageSeries({ ...query, start_date, end_date: addDays(range.firstDay, -1) }, enabled);
  return { days, now, before };
}

/** The people whose spending changed most compared with the previous period. */
export function Movers() {
  const { days, now, before } = useMovers();
  const fault = now.error ?? before.error;
  return (
    <Section title="Top movers" aside={`Compared with the previous ${days} days`}>
      {now.data && before.data ? (
        <MoverList movers={moversOf(now.data, before.data)} />
      ) : fault ? (
        <Failure error={fault} onRetry={() => void Promise.all([now.refetch(), before.refetch()])} />
      ) : (
        <Skeleton lines={SHOWN} label="Loading top movers" />
      )}
    </Section>
  );
}

function MoverList({ movers }: { movers: readonly Mover[] }) {
  if (movers.length === 0) return <p className="py-3 text-muted">No change in spending.</p>;
  return (
    <table aria-label="Top movers" className="w-full table-fixed border-separate border-spacing-0">
      <thead>
        <tr className="label h-8 text-left *:border-b *:border-line">
          <th scope="col" className="font-medium">
            User
          </th>
          <th scope="col" className="w-22 text-right font-medium sm:w-28">
            Change
          </th>
          <th scope="col" className="w-22 text-right font-medium sm:w-28">
            Spend now
          </th>
        </tr>
      </thead>
      <tbody>
        {movers.map(({ id, name, now, by }) => {
          const Icon = by > 0 ? ArrowUp : ArrowDown;
          return (
            <tr key={id} data-row onClick={follow} className="row-hover h-9 cursor-pointer *:border-b *:border-line">
              <th scope="row" className="truncate text-left font-normal">
                <MoverName id={id} name={name} />
              </th>
              <td className="text-right tabular-nums">
                <span className="inline-flex items-center gap-1 align-bottom">
                  <Icon size={12} aria-label={by > 0 ? 'more' : 'less'} className={by > 0 ? 'text-high' : 'text-ok'} />
                  {money(Math.abs(by))}
                </span>
              </td>
              <td className="text-right text-muted tabular-nums">{money(now)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function MoverName({ id, name }: Pick<Mover, 'id' | 'name'>) {
  return (
    <PageLink to="/usage" search={{ user_id: id }} className="block truncate hover:underline">
      <Email of={name} />
    </PageLink>
  );
}
