import { useParams } from '@tanstack/react-router';
import { sentence } from '../../data/format.ts';
import { useList, type ItemOf } from '../../data/use-api.ts';
import type { Column } from '../../parts/data-table/columns.ts';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { Email } from '../../parts/email.tsx';
import { FilterBar, FilterSelect, FilterText } from '../../parts/filter-bar.tsx';
import { Mark } from '../../parts/marks.tsx';
import { Narrowed } from '../../parts/narrowed.tsx';
import { News } from '../../parts/news.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, FilteredEmpty } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { oneOf, useFilters } from '../../parts/use-filters.ts';
import { useRange } from '../../parts/use-range.ts';

type Decision = ItemOf<'listDecisions'>;

const SORTS = ['time'] as const;
const ACTIONS = ['block', 'require_approval', 'alert', 'allow'] as const;

const COLUMNS: readonly Column<Decision>[] = [
  {
    id: 'time',
    head: 'Time',
    sort: 'time',
    width: 'w-24 md:w-36',
    fits: true,
    cell: ({ id, evaluated_at }) => (
      <PageLink to={`/decisions/${id}`} keep>
        <Time at={evaluated_at} seconds />
      </PageLink>
    ),
  },
  {
    id: 'who',
    head: 'User',
    cell: ({ user_email, user_id }) =>
      user_email === null ? (user_id ?? <span className="text-muted">Unknown user</span>) : <Email of={user_email} />,
  },
  {
    id: 'model',
    head: 'Model',
    width: 'w-48',
    wideOnly: true,
    cell: ({ model }) => <bdi className="font-mono text-small">{model}</bdi>,
  },
  { id: 'provider', head: 'Provider', width: 'w-32', wideOnly: true, cell: ({ provider }) => <bdi>{provider}</bdi> },
  {
    id: 'action',
    head: 'Action',
    width: 'w-36 md:w-44',
    fits: true,
    cell: ({ action }) => <Mark of={action} />,
    below: ({ model }) => <bdi className="font-mono">{model}</bdi>,
  },
  {
    id: 'reason',
    head: 'Reason',
    width: 'w-80',
    wideOnly: true,
    cell: ({ reason, policies }) =>
      policies[0] === undefined ? (
        <span className="text-muted">{sentence(reason)}</span>
      ) : (
        <bdi title={policies[0].name}>{policies[0].name}</bdi>
      ),
  },
];

/** Page of decisions. */
export function DecisionsPage() {
  const { id } = useParams({ strict: false });
  const [filters, setFilters] = useFilters<'action' | 'model' | 'user_id' | 'policy_id' | 'sort'>();
  const { action, model, user_id, policy_id } = filters;
  const sort = oneOf(filters.sort, SORTS);
  const { since, until, name } = useRange();
  const query = { action: oneOf(action, ACTIONS), model, user_id, policy_id, since, until };
  const list = useList('listDecisions', { ...query, sort: sort === 'time' ? 'oldest' : undefined });
  const isFiltered = [action, model, user_id, policy_id].some(value => value !== undefined);
  const clear = (): void =>
    setFilters({ action: undefined, model: undefined, user_id: undefined, policy_id: undefined });
  return (
    <Page title="Decisions" lead={`Every decision on a call. ${name}.`}>
      <FilterBar
        isFiltered={isFiltered}
        onClear={clear}
        aside={
          <>
            <Narrowed userId={undefined} policyId={policy_id} />
            <News topic="decisions" onShow={list.retry} />
          </>
        }
        list={list}
      >
        <FilterText
          label="Model (exact name)"
          placeholder="Model"
          value={model}
          onChange={model => setFilters({ model })}
        />
        <FilterSelect
          label="Action"
          value={action}
          options={ACTIONS.map(each => [each, sentence(each)] as const)}
          onChange={action => setFilters({ action })}
        />
        {user_id !== undefined && (
          <FilterText label="User ID" value={user_id} onChange={user_id => setFilters({ user_id })} />
        )}
      </FilterBar>
      <DataTable
        caption="Decisions"
        columns={COLUMNS}
        list={list}
        sort={sort ?? '-time'}
        onSort={sort => setFilters({ sort: sort === 'time' ? sort : undefined })}
        rowKey={({ id }) => id}
        opened={id}
        empty={
          isFiltered ? (
            <FilteredEmpty what="decisions" hasRange />
          ) : (
            <Empty title="No decisions yet">
              Decisions appear here when your applications or the gateway ask before a call.
            </Empty>
          )
        }
      />
    </Page>
  );
}
