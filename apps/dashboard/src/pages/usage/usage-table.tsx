import type { SeriesGroup, SeriesLine, UsageSeries } from '../../data/ahead.ts';
import { count, percent, sentence } from '../../data/format.ts';
import { PageLink } from '../../parts/page-link.tsx';
import { cx } from '../../parts/cx.ts';
import { Section } from '../../parts/page.tsx';
import { groupName } from '../../charts/usage-stack.ts';

interface UsageTableProps {
  series: UsageSeries;
  by: string;
  format: (value: number) => string;
}

const CELL = 'px-2 text-right tabular-nums';

/** The figures of the chart: every group with its total and its share, and the sum of all. */
export function UsageTable({ series, by, format }: UsageTableProps) {
  const { groups, other, total } = series;
  const row = (line: SeriesLine) => (
    <>
      <td className={CELL}>{line.total === null ? <span className="text-muted">unknown</span> : format(line.total)}</td>
      <td className={cx(CELL, 'text-muted max-sm:hidden')}>
        {line.total === null || !total ? '–' : percent(line.total / total)}
      </td>
      <td className={cx(CELL, 'pr-0 text-muted max-sm:hidden')}>
        {line.unpriced_requests > 0 ? count(line.unpriced_requests) : '–'}
      </td>
    </>
  );
  return (
    <Section title="Breakdown">
      <table className="w-full table-fixed border-collapse">
        <thead>
          <tr className="label h-8 border-b border-line text-left">
            <th scope="col" className="font-medium">
              {sentence(by)}
            </th>
            <th scope="col" className={cx(CELL, 'w-28 font-medium sm:w-40')}>
              Total
            </th>
            <th scope="col" className={cx(CELL, 'w-32 font-medium max-sm:hidden')}>
              Share
            </th>
            <th scope="col" className={cx(CELL, 'w-48 pr-0 font-medium max-sm:hidden')}>
              Unpriced requests
            </th>
          </tr>
        </thead>
        <tbody>
          {groups.map(group => (
            <tr key={JSON.stringify(group.key)} className="h-9 border-b border-line hover:bg-sunken">
              <th scope="row" className="truncate text-left font-normal">
                <GroupName group={group} by={by} />
              </th>
              {row(group)}
            </tr>
          ))}
          {other && (
            <tr className="h-9 border-b border-line text-muted">
              <th scope="row" className="text-left font-normal">
                {other.groups} others
              </th>
              {row(other)}
            </tr>
          )}
        </tbody>
        <tfoot>
          <tr className="h-9 border-t-2 border-double border-ink/70 font-semibold">
            <th scope="row" className="text-left font-semibold">
              Total
            </th>
            {row(series)}
          </tr>
        </tfoot>
      </table>
    </Section>
  );
}

function GroupName({ group, by }: { group: SeriesGroup; by: string }) {
  const name = <bdi>{groupName(group)}</bdi>;
  if (by !== 'user' || typeof group.key !== 'string') return name;
  return (
    <PageLink to={`/users/${group.key}`} className="hover:underline">
      {name}
    </PageLink>
  );
}
