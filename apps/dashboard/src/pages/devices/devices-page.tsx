import { useParams } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { sentence } from '../../data/format.ts';
import { useMay } from '../../data/scopes.ts';
import { useList, type ItemOf } from '../../data/use-api.ts';
import { buttonClass } from '../../parts/button.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import type { Column } from '../../parts/data-table/columns.ts';
import { FilterBar, FilterSelect } from '../../parts/filter-bar.tsx';
import { Mark } from '../../parts/marks.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Page } from '../../parts/page.tsx';
import { PersonName } from '../../parts/person-name.tsx';
import { Empty, FilteredEmpty } from '../../parts/states.tsx';
import { Ago, Time } from '../../parts/time.tsx';
import { oneOf, useFilters } from '../../parts/use-filters.ts';

type Device = ItemOf<'listDevices'>;

const STATUSES = ['active', 'expired', 'revoked'] as const;

/** Number of devices per page. It is small, because each device needs a request for the name of its user. */
const PAGE = 25;

const COLUMNS: readonly Column<Device>[] = [
  {
    id: 'name',
    head: 'Device',
    cell: ({ id, name }) => (
      <PageLink to={`/devices/${id}`} keep className="font-medium">
        <bdi>{name}</bdi>
      </PageLink>
    ),
    below: ({ user_id }) => <PersonName id={user_id} inTable />,
  },
  {
    id: 'user',
    head: 'User',
    width: 'w-56',
    wideOnly: true,
    cell: ({ user_id }) => <PersonName id={user_id} inTable />,
  },
  {
    id: 'status',
    head: 'Status',
    width: 'w-32',
    cell: ({ status }) => <Mark of={status} />,
  },
  {
    id: 'enrolled',
    head: 'Enrolled',
    width: 'w-36',
    wideOnly: true,
    align: 'end',
    cell: ({ created_at }) => <Time at={created_at} day />,
  },
  {
    id: 'ends',
    head: 'Certificate expires',
    width: 'w-36',
    wideOnly: true,
    align: 'end',
    cell: ({ status, certificate_expires_at, revoked_at }) =>
      status === 'revoked' && revoked_at !== null ? <Ago at={revoked_at} /> : <Time at={certificate_expires_at} day />,
  },
];

/** Page of devices. A device can request decisions with its certificate. */
export function DevicesPage() {
  const { id } = useParams({ strict: false });
  const mayWrite = useMay('devices:write');
  const [{ status, user_id }, setFilters] = useFilters<'status' | 'user_id'>();
  const list = useList('listDevices', { status: oneOf(status, STATUSES), user_id, limit: PAGE });
  const isFiltered = status !== undefined || user_id !== undefined;
  const clear = (): void => setFilters({ status: undefined, user_id: undefined });
  return (
    <Page
      title="Devices"
      lead="Laptops and servers that identify themselves with a certificate."
      actions={
        mayWrite && (
          <PageLink to="/devices/new" keep className={buttonClass('primary')}>
            <Plus size={14} aria-hidden />
            Enroll device
          </PageLink>
        )
      }
    >
      <FilterBar isFiltered={isFiltered} onClear={clear} list={list} hidesIfEmpty>
        <FilterSelect
          label="Status"
          value={status}
          options={STATUSES.map(each => [each, sentence(each)] as const)}
          onChange={status => setFilters({ status })}
        />
        {user_id !== undefined && (
          <span className="text-muted">
            of <PersonName id={user_id} inTable />
          </span>
        )}
      </FilterBar>
      <DataTable
        caption="Devices"
        columns={COLUMNS}
        list={list}
        rowKey={({ id }) => id}
        opened={id}
        empty={
          isFiltered ? (
            <FilteredEmpty what="devices" />
          ) : (
            <Empty
              title="No devices yet"
              actions={
                mayWrite && (
                  <PageLink to="/devices/new" className={buttonClass()}>
                    Enroll device
                  </PageLink>
                )
              }
            >
              A device gets a certificate for a key that never leaves it. Policies can then require a known device.
            </Empty>
          )
        }
      />
    </Page>
  );
}
