import type { SeriesGroup, SeriesLine, UsageSeries } from '../../data/usage-series.ts';
import { count, percent, plural, sentence } from '../../data/format.ts';
import { groupName } from '../../charts/usage-stack.ts';
import type { Column, Sort } from '../../parts/data-table/columns.ts';
import { TableHead } from '../../parts/data-table/table-head.tsx';
import { cx } from '../../parts/cx.ts';
import { Email } from '../../parts/email.tsx';
import { FilterText } from '../../parts/filter-bar.tsx';
import { follow } from '../../parts/follow.ts';
import { PageLink } from '../../parts/page-link.tsx';
import { Section } from '../../parts/page.tsx';
import { groupsShown, insideOf } from './usage-rows.ts';

interface UsageTableProps {
  series: UsageSeries;
  by: string;
  format: (value: number) => string;
  /** Text that the name of each shown group must contain. */
  find: string | undefined;
  sort: string;
  onChange: (change: { q?: string | undefined; sort?: Sort }) => void;
  /** Whether the page already shows the maximum number of groups. */
  hasAll: boolean;
}

const CELL = 'px-2 text-right tabular-nums md:px-3';

/** Number of groups from which on the table has a search field. */
const SEARCHED_FROM = 10;

/**
 * The figures of the chart as a table. It contains each group with its total and share, and the sum of all groups. A
 * row links to the details of its group.
 */
export function UsageTable({ series, by, format, find, sort, onChange, hasAll }: UsageTableProps) {
  const { groups, other, total } = series;
  const shown = groupsShown(groups, find, sort);
  const columns: readonly Column<SeriesGroup>[] = [
    { id: 'group', head: sentence(by), sort: 'name', cell: groupName },
    { id: 'total', head: 'Total', sort: 'total', align: 'end', width: 'w-28 sm:w-40', cell: () => null },
    { id: 'share', head: 'Share', align: 'end', width: 'w-72', wideOnly: true, cell: () => null },
    {
      ...{ id: 'unpriced', head: 'Requests without a price', sort: 'unpriced' },
      ...{ align: 'end' as const, width: 'w-52', wideOnly: true, cell: () => null },
    },
  ];
  const figures = (line: SeriesLine, hasBar = false) => (
    <>
      <td className={cx(CELL, 'max-md:pr-0')}>
        {line.total === null ? <span className="text-muted">Unknown</span> : format(line.total)}
      </td>
      <td className={cx(CELL, 'text-muted max-md:hidden')}>
        {line.total === null || !total ? '–' : <Share of={line.total / total} hasBar={hasBar} />}
      </td>
      <td className={cx(CELL, 'text-muted last:pr-0 max-md:hidden')}>
        {line.unpriced_requests > 0 ? count(line.unpriced_requests) : '–'}
      </td>
    </>
  );
  const isSearched = groups.length >= SEARCHED_FROM || find !== undefined;
  return (
    <Section
      title="Breakdown"
      aside={isSearched && <FilterText label={`Find ${by}`} value={find} onChange={q => onChange({ q })} />}
    >
      <table aria-label="Breakdown" className="w-full table-fixed border-separate border-spacing-0">
        <TableHead columns={columns} sort={sort} onSort={sort => onChange({ sort })} />
        <tbody>
          {shown.map(group => (
            <tr
              key={JSON.stringify(group.key)}
              data-row
              onClick={follow}
              className="row-hover h-9 has-[a]:cursor-pointer *:border-b *:border-line"
            >
              <th scope="row" className="truncate pr-2 text-left font-normal">
                <GroupName group={group} by={by} />
              </th>
              {figures(group, true)}
            </tr>
          ))}
          {shown.length === 0 && (
            <tr className="h-9 text-muted *:border-b *:border-line">
              <td colSpan={columns.length}>No {by} of these has that name.</td>
            </tr>
          )}
          {other && (
            <tr data-row onClick={follow} className="h-9 text-muted *:border-b *:border-line has-[a]:cursor-pointer">
              <th scope="row" className="text-left font-normal">
                {plural(other.groups, 'other')}
                {!hasAll && (
                  <>
                    {' · '}
                    <PageLink to="/usage" keep search={{ groups: 'all' }} resetScroll={false} className="link">
                      Show all
                    </PageLink>
                  </>
                )}
              </th>
              {figures(other, true)}
            </tr>
          )}
        </tbody>
        <tfoot>
          <tr className="h-9 font-semibold *:border-t-2 *:border-double *:border-ink/70">
            <th scope="row" className="text-left font-semibold">
              Total
            </th>
            {figures(series)}
          </tr>
        </tfoot>
      </table>
    </Section>
  );
}

/** A share as percentage and as a bar. */
function Share({ of, hasBar }: { of: number; hasBar: boolean }) {
  return (
    <span className="flex items-center justify-end gap-3">
      {hasBar && (
        <span aria-hidden className="h-1 flex-1 bg-line">
          <span className="block h-full bg-accent" style={{ width: `${Math.min(of, 1) * 100}%` }} />
        </span>
      )}
      <span className="w-14">{percent(of)}</span>
    </span>
  );
}

function GroupName({ group, by }: { group: SeriesGroup; by: string }) {
  // Models and providers are ids, which are shown in a monospaced font.
  const text = groupName(group);
  const name =
    by === 'user' ? <Email of={text} /> : <bdi className={cx(by === 'model' && 'font-mono text-small')}>{text}</bdi>;
  const inside = insideOf(by, group);
  if (inside === undefined) return <span className="text-muted">{name}</span>;
  const search = { by: undefined, q: undefined, sort: undefined, groups: undefined, ...inside };
  return (
    <PageLink to="/usage" keep search={search} className="block truncate hover:underline">
      {name}
    </PageLink>
  );
}
