import { useParams } from '@tanstack/react-router';
import { count } from '../../data/format.ts';
import { useList, type ItemOf } from '../../data/use-api.ts';
import type { Column } from '../../parts/data-table/columns.ts';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { Email } from '../../parts/email.tsx';
import { FilterBar, FilterText } from '../../parts/filter-bar.tsx';
import { Mark } from '../../parts/marks.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Page } from '../../parts/page.tsx';
import { Segments } from '../../parts/segments.tsx';
import { Empty, FilteredEmpty } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { oneOf, useFilters } from '../../parts/use-filters.ts';

type Approval = ItemOf<'listApprovals'>;

const STATUSES = ['pending', 'approved', 'denied', 'expired', 'revoked'] as const;

const COLUMNS: readonly Column<Approval>[] = [
  {
    id: 'who',
    head: 'User',
    cell: ({ id, user_email, user_id }) => (
      <PageLink to={`/approvals/${id}`} keep className="font-medium">
        {user_email === null ? user_id : <Email of={user_email} />}
      </PageLink>
    ),
    below: ({ policy_name }) => <bdi>{policy_name}</bdi>,
  },
  {
    id: 'model',
    head: 'Model',
    width: 'w-24 md:w-44',
    cell: ({ model }) => <bdi className="font-mono text-small">{model}</bdi>,
  },
  {
    id: 'policy',
    head: 'Policy',
    width: 'w-64',
    wideOnly: true,
    cell: ({ policy_name }) => <bdi>{policy_name}</bdi>,
  },
  {
    id: 'requests',
    head: 'Requests',
    width: 'w-24',
    align: 'end',
    wideOnly: true,
    cell: ({ requests }) => count(requests),
  },
  {
    id: 'status',
    head: 'Status',
    width: 'w-32',
    wideOnly: true,
    cell: ({ status }) => <Mark of={status} />,
  },
  {
    id: 'asked',
    head: 'First requested',
    width: 'w-28 md:w-32',
    align: 'end',
    wideOnly: true,
    cell: ({ requested_at }) => <Ago at={requested_at} />,
  },
  {
    id: 'ends',
    head: 'Expires',
    width: 'w-20 md:w-32',
    align: 'end',
    cell: ({ expires_at }) => <Ago at={expires_at} />,
  },
];

/** The columns of a list whose requests all have the same status. */
const WITHOUT_STATUS = COLUMNS.filter(({ id }) => id !== 'status');

/** The columns of pending requests. On narrow screens, they show how long somebody waits, not when the request ends. */
const PENDING = WITHOUT_STATUS.map(column =>
  column.id === 'asked' || column.id === 'ends' ? { ...column, wideOnly: column.id === 'ends' } : column,
);

/** Access requests that wait for a review, and grants. */
export function ApprovalsPage() {
  const { id } = useParams({ strict: false });
  const [filters, setFilters] = useFilters<'status' | 'user_id' | 'policy_id'>();
  const { user_id, policy_id } = filters;
  const isNarrowed = user_id !== undefined || policy_id !== undefined;
  const status =
    filters.status === 'all' ? undefined : (oneOf(filters.status, STATUSES) ?? (isNarrowed ? undefined : 'pending'));
  const list = useList('listApprovals', { status, user_id, policy_id });
  const clear = (): void => setFilters({ user_id: undefined, policy_id: undefined });
  return (
    <Page title="Approvals" lead="Review access requests and manage the grants you gave.">
      <FilterBar isFiltered={isNarrowed} onClear={clear} list={list}>
        <Segments
          label="Status"
          value={status ?? 'all'}
          options={[
            ['pending', 'Pending'],
            ['approved', 'Approved'],
            ['denied', 'Denied'],
            ['expired', 'Expired'],
            ['revoked', 'Revoked'],
            ['all', 'All'],
          ]}
          onChange={value => setFilters({ status: value })}
        />
        {user_id !== undefined && (
          <FilterText label="User ID" value={user_id} onChange={user_id => setFilters({ user_id })} />
        )}
        {policy_id !== undefined && (
          <FilterText label="Policy ID" value={policy_id} onChange={policy_id => setFilters({ policy_id })} />
        )}
      </FilterBar>
      <DataTable
        caption="Approvals"
        columns={status === undefined ? COLUMNS : status === 'pending' ? PENDING : WITHOUT_STATUS}
        list={list}
        rowKey={({ id }) => id}
        opened={id}
        empty={
          isNarrowed ? (
            <FilteredEmpty what="requests" />
          ) : status === 'pending' ? (
            <Empty title="No pending requests">
              Calls that match a policy with the action “Require approval” appear here.
            </Empty>
          ) : (
            <Empty title="No requests" />
          )
        }
      />
    </Page>
  );
}
