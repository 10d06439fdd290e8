import { useMe } from '../../data/scopes.ts';
import { useList, type ItemOf } from '../../data/use-api.ts';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import type { Column } from '../../parts/data-table/columns.ts';
import { Mark } from '../../parts/marks.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Section } from '../../parts/page.tsx';
import { Ago, Time } from '../../parts/time.tsx';

/** Number of rows per list. The pages of the navigation show all rows. */
const SHOWN = 10;

const REQUESTS: readonly Column<ItemOf<'listApprovals'>>[] = [
  {
    id: 'model',
    head: 'Model',
    cell: ({ id, model }) => (
      <PageLink to={`/approvals/${id}`} className="font-medium">
        <bdi>{model}</bdi>
      </PageLink>
    ),
  },
  {
    id: 'status',
    head: 'Status',
    width: 'w-32',
    cell: ({ status }) => <Mark of={status} />,
  },
  { id: 'ends', head: 'Expires', width: 'w-28', align: 'end', cell: ({ expires_at }) => <Ago at={expires_at} /> },
];

const DEVICES: readonly Column<ItemOf<'listDevices'>>[] = [
  {
    id: 'name',
    head: 'Device',
    cell: ({ id, name }) => (
      <PageLink to={`/devices/${id}`} className="font-medium">
        <bdi>{name}</bdi>
      </PageLink>
    ),
  },
  {
    id: 'status',
    head: 'Status',
    width: 'w-32',
    cell: ({ status }) => <Mark of={status} />,
  },
  {
    id: 'ends',
    head: 'Certificate expires',
    width: 'w-36',
    align: 'end',
    cell: ({ certificate_expires_at }) => <Time at={certificate_expires_at} day />,
  },
];

/** Access requests and grants of the signed-in person. */
export function MyRequests() {
  const { user } = useMe();
  const list = useList('listApprovals', { user_id: user?.id, limit: SHOWN });
  return (
    <Section title="Access requests" list={list}>
      <DataTable
        caption="Access requests"
        columns={REQUESTS}
        list={list}
        rowKey={({ id }) => id}
        empty={<p className="py-3 text-muted">No requests. A call that needs an approval makes a request by itself.</p>}
      />
    </Section>
  );
}

/** Devices of the signed-in person. */
export function MyDevices() {
  const { user } = useMe();
  const list = useList('listDevices', { user_id: user?.id, limit: SHOWN });
  return (
    <Section title="Devices" list={list}>
      <DataTable
        caption="Devices"
        columns={DEVICES}
        list={list}
        rowKey={({ id }) => id}
        empty={<p className="py-3 text-muted">No devices.</p>}
      />
    </Section>
  );
}
