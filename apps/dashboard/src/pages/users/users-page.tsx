import { useParams } from '@tanstack/react-router';
import { useList, type ItemOf } from '../../data/use-api.ts';
import { sentence } from '../../data/format.ts';
import { useMay } from '../../data/scopes.ts';
import { buttonClass } from '../../parts/button.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import type { Column } from '../../parts/data-table/columns.ts';
import { Email } from '../../parts/email.tsx';
import { FilterBar, FilterSelect, FilterText } from '../../parts/filter-bar.tsx';
import { Mark } from '../../parts/marks.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, FilteredEmpty } from '../../parts/states.tsx';
import { Ago, Time } from '../../parts/time.tsx';
import { oneOf, useFilters } from '../../parts/use-filters.ts';

type User = ItemOf<'listUsers'>;

const STATUSES = ['active', 'inactive', 'suspended'] as const;
const SORTS = ['name', '-name', 'last_active_at', '-last_active_at'] as const;

const COLUMNS: readonly Column<User>[] = [
  {
    id: 'name',
    head: 'Name',
    sort: 'name',
    cell: ({ id, name }) => (
      <PageLink to={`/users/${id}`} keep className="font-medium">
        <bdi>{name}</bdi>
      </PageLink>
    ),
    below: ({ email, department }) => (
      <>
        <Email of={email} />
        {department !== null && ` · ${department}`}
      </>
    ),
  },
  { id: 'email', head: 'Email', wideOnly: true, cell: ({ email }) => <Email of={email} /> },
  {
    id: 'department',
    head: 'Department',
    width: 'w-40',
    wideOnly: true,
    cell: ({ department }) => department ?? <None />,
  },
  { id: 'role', head: 'Role', width: 'w-28', wideOnly: true, cell: ({ role }) => role },
  {
    id: 'status',
    head: 'Status',
    width: 'w-32',
    fits: true,
    cell: ({ status }) => <Mark of={status} />,
  },
  {
    id: 'departs',
    head: 'Access ends',
    width: 'w-32',
    wideOnly: true,
    align: 'end',
    cell: ({ departs_at, suspended_at }) => {
      const at = suspended_at ?? departs_at;
      return at === null ? <None /> : <Time at={at} day />;
    },
  },
  {
    id: 'active',
    head: 'Last call',
    sort: 'last_active_at',
    width: 'w-36',
    wideOnly: true,
    align: 'end',
    cell: ({ last_active_at }) =>
      last_active_at === null ? <span className="text-muted">Never</span> : <Ago at={last_active_at} />,
  },
];

/** Page of people. */
export function UsersPage() {
  const { id } = useParams({ strict: false });
  const mayWrite = useMay('users:write');
  const [filters, setFilters] = useFilters<'q' | 'status' | 'department' | 'sort'>();
  const { q, status, department } = filters;
  const sort = oneOf(filters.sort, SORTS);
  const query = { q, status: oneOf(status, STATUSES), department, sort };
  const list = useList('listUsers', query);
  const clear = (): void => setFilters({ q: undefined, status: undefined, department: undefined });
  const isFiltered = [q, status, department].some(value => value !== undefined);
  return (
    <Page
      title="Users"
      lead="Everyone who may call models, including users whose access has ended."
      actions={
        mayWrite && (
          <PageLink to="/users/import" keep className={buttonClass()}>
            Import…
          </PageLink>
        )
      }
    >
      <FilterBar isFiltered={isFiltered} onClear={clear} list={list} hidesIfEmpty>
        <FilterText label="Name or email" value={q} onChange={q => setFilters({ q })} />
        <FilterText
          label="Department (exact name)"
          placeholder="Department"
          value={department}
          onChange={department => setFilters({ department })}
        />
        <FilterSelect
          label="Status"
          value={status}
          options={STATUSES.map(each => [each, sentence(each)] as const)}
          onChange={status => setFilters({ status })}
        />
      </FilterBar>
      <DataTable
        caption="Users"
        columns={COLUMNS}
        list={list}
        sort={sort ?? 'name'}
        // A press on the name in its default order reverses it.
        onSort={next => setFilters({ sort: next ?? (sort === undefined ? '-name' : undefined) })}
        rowKey={({ id }) => id}
        opened={id}
        empty={
          isFiltered ? (
            <FilteredEmpty what="users" />
          ) : (
            <Empty title="No users yet">
              Provision users with SCIM from your identity provider, or import them from a file.
            </Empty>
          )
        }
      />
    </Page>
  );
}

function None() {
  return <span className="text-muted">–</span>;
}
