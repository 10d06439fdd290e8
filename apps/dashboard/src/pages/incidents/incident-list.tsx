import { useParams } from '@tanstack/react-router';
import { count, sentence } from '../../data/format.ts';
import { useList, type ItemOf } from '../../data/use-api.ts';
import type { Column } from '../../parts/data-table/columns.ts';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { Email } from '../../parts/email.tsx';
import { FilterBar, FilterSelect } from '../../parts/filter-bar.tsx';
import { Mark } from '../../parts/marks.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Segments } from '../../parts/segments.tsx';
import { Empty, FilteredEmpty } from '../../parts/states.tsx';
import { Ago, useNow, useZone } from '../../parts/time.tsx';
import { severityBar } from '../../parts/tone.ts';
import { oneOf, useFilters } from '../../parts/use-filters.ts';
import { Narrowed } from '../../parts/narrowed.tsx';
import { News } from '../../parts/news.tsx';
import { Subject } from '../../parts/subject.tsx';
import { daysOf, DAYS_IDS } from './days.ts';

type Incident = ItemOf<'listIncidents'>;

const STATUSES = ['open', 'acknowledged', 'resolved'] as const;
const SEVERITIES = ['critical', 'high', 'medium', 'low'] as const;
/** Times at which incidents were opened, for a filter. */
const OPENED = [
  ['today', 'Opened today'],
  ['yesterday', 'Opened yesterday'],
  ['7d', 'Opened in the last 7 days'],
  ['30d', 'Opened in the last 30 days'],
] as const;

const TYPES = ['policy_violation', 'anomaly'] as const;
const SORTS = ['last_seen_at', '-last_seen_at'] as const;

const COLUMNS: readonly Column<Incident>[] = [
  {
    id: 'severity',
    head: 'Severity',
    width: 'w-24',
    wideOnly: true,
    fits: true,
    cell: ({ severity }) => <Mark of={severity} />,
  },
  {
    id: 'subject',
    head: 'Incident',
    cell: incident => (
      <PageLink to={`/incidents/${incident.id}`} keep className="font-medium">
        <Subject of={incident} />
      </PageLink>
    ),
    below: ({ severity, user_email, last_seen_at }) => (
      <>
        <Mark of={severity} /> · {user_email === null ? 'Organization' : <Email of={user_email} />} ·{' '}
        <Ago at={last_seen_at} />
      </>
    ),
  },
  {
    id: 'who',
    head: 'User',
    width: 'w-56',
    wideOnly: true,
    cell: ({ user_email }) =>
      user_email === null ? <span className="text-muted">Organization</span> : <Email of={user_email} />,
  },
  {
    id: 'model',
    head: 'Model',
    width: 'w-40',
    wideOnly: true,
    cell: ({ model }) =>
      model === null ? <span className="text-muted">–</span> : <bdi className="font-mono text-small">{model}</bdi>,
  },
  {
    id: 'status',
    head: 'Status',
    width: 'w-28',
    wideOnly: true,
    fits: true,
    cell: ({ status }) => <Mark of={status} />,
  },
  {
    id: 'times',
    head: 'Occurrences',
    width: 'w-24',
    align: 'end',
    wideOnly: true,
    cell: ({ occurrences }) => count(occurrences),
  },
  {
    id: 'last',
    head: 'Last seen',
    sort: 'last_seen_at',
    width: 'w-32',
    wideOnly: true,
    align: 'end',
    cell: ({ last_seen_at }) => <Ago at={last_seen_at} />,
  },
];

/** If one status is selected, all rows have this status, so its column is omitted. */
const WITHOUT_STATUS = COLUMNS.filter(({ id }) => id !== 'status');

/** List of incidents by status. Default: open incidents, the last seen one first. */
export function IncidentList() {
  const { id } = useParams({ strict: false });
  const [filters, setFilters] = useFilters<
    'status' | 'severity' | 'type' | 'user_id' | 'policy_id' | 'opened' | 'sort'
  >();
  const zone = useZone();
  // The time is rounded to five minutes, so that several renders use the same query.
  const now = Math.floor(useNow() / 300_000) * 300_000;
  const opened = oneOf(filters.opened, DAYS_IDS);
  const sort = oneOf(filters.sort, SORTS) ?? '-last_seen_at';
  const status = filters.status === 'all' ? undefined : (oneOf(filters.status, STATUSES) ?? 'open');
  const list = useList('listIncidents', {
    status,
    severity: oneOf(filters.severity, SEVERITIES),
    type: oneOf(filters.type, TYPES),
    user_id: filters.user_id,
    policy_id: filters.policy_id,
    ...(opened && daysOf(opened, zone, now)),
    sort,
  });
  const { severity, type, user_id, policy_id } = filters;
  const isFiltered = [severity, type, user_id, policy_id, opened].some(value => value !== undefined);
  const clear = (): void =>
    setFilters({ severity: undefined, type: undefined, user_id: undefined, policy_id: undefined, opened: undefined });
  return (
    <>
      <FilterBar
        isFiltered={isFiltered}
        onClear={clear}
        list={list}
        aside={
          <>
            <Narrowed userId={user_id} policyId={policy_id} />
            <News topic="incidents" onShow={list.retry} />
          </>
        }
      >
        <Segments
          label="Status"
          value={status ?? 'all'}
          options={[
            ['open', 'Open'],
            ['acknowledged', 'Acknowledged'],
            ['resolved', 'Resolved'],
            ['all', 'All'],
          ]}
          onChange={value => setFilters({ status: value === 'open' ? undefined : value })}
        />
        <FilterSelect
          label="Severity"
          value={severity}
          options={SEVERITIES.map(each => [each, sentence(each)] as const)}
          onChange={severity => setFilters({ severity })}
        />
        <FilterSelect
          label="Type"
          value={type}
          options={TYPES.map(each => [each, sentence(each)] as const)}
          onChange={type => setFilters({ type })}
        />
        <FilterSelect
          label="Opened"
          all="Opened at any time"
          value={opened}
          options={OPENED}
          onChange={opened => setFilters({ opened })}
        />
      </FilterBar>
      <DataTable
        caption="Incidents"
        columns={status === undefined ? COLUMNS : WITHOUT_STATUS}
        list={list}
        sort={sort}
        onSort={sort => setFilters({ sort })}
        rowKey={({ id }) => id}
        opened={id}
        mark={({ severity }) => severityBar(severity)}
        empty={
          isFiltered ? (
            <FilteredEmpty what="incidents" />
          ) : status === 'open' ? (
            <Empty title="No open incidents">
              Incidents are raised when a decision violates a policy or usage is anomalous.
            </Empty>
          ) : (
            <Empty title={status === undefined ? 'No incidents yet' : `No ${status} incidents`} />
          )
        }
      />
    </>
  );
}
