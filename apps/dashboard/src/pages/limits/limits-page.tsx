import { useParams } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { count } from '../../data/format.ts';
import { useMay } from '../../data/scopes.ts';
import { useList, type ItemOf } from '../../data/use-api.ts';
import { buttonClass } from '../../parts/button.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import type { Column } from '../../parts/data-table/columns.ts';
import { OfWhom } from '../../parts/of-whom.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';

type Limit = ItemOf<'listLimits'>;

const COLUMNS: readonly Column<Limit>[] = [
  {
    id: 'name',
    head: 'Name',
    cell: ({ id, name }) => (
      <PageLink to={`/limits/${id}`} keep className="font-medium">
        <bdi>{name}</bdi>
      </PageLink>
    ),
  },
  { id: 'of', head: 'For', wideOnly: true, cell: limit => <OfWhom of={limit} /> },
  {
    id: 'requests',
    head: 'Requests a minute',
    width: 'w-36',
    align: 'end',
    cell: ({ requests_per_minute }) => <Figure of={requests_per_minute} />,
  },
  {
    id: 'tokens',
    head: 'Tokens a minute',
    width: 'w-36',
    align: 'end',
    wideOnly: true,
    cell: ({ tokens_per_minute }) => <Figure of={tokens_per_minute} />,
  },
  {
    id: 'concurrent',
    head: 'At the same time',
    width: 'w-36',
    align: 'end',
    wideOnly: true,
    cell: ({ concurrent_requests }) => <Figure of={concurrent_requests} />,
  },
  {
    id: 'changed',
    head: 'Changed',
    width: 'w-32',
    align: 'end',
    wideOnly: true,
    cell: ({ updated_at }) => <Ago at={updated_at} />,
  },
];

/** How many requests and tokens in a minute, and how many requests at the same time. */
export function LimitsPage() {
  const { id } = useParams({ strict: false });
  const mayWrite = useMay('budgets:write');
  const list = useList('listLimits', {});
  return (
    <Page
      title="Limits"
      lead="How many requests and tokens in a minute, and how many requests at the same time."
      actions={
        mayWrite && (
          <PageLink to="/limits/new" keep className={buttonClass('primary')}>
            <Plus size={14} aria-hidden />
            New limit
          </PageLink>
        )
      }
    >
      {/* An installation without limits has no such route. */}
      {list.error?.status === 404 ? (
        <Empty title="This installation has no limits.">
          Spending is limited by budgets, and what may be called at all by policies.
        </Empty>
      ) : (
        <DataTable
          caption="Limits"
          columns={COLUMNS}
          list={list}
          rowKey={({ id }) => id}
          opened={id}
          empty={
            <Empty title="No limits yet.">
              People may call as often as they like, as far as policies and budgets let them.
            </Empty>
          }
        />
      )}
    </Page>
  );
}

function Figure({ of }: { of: number | null }) {
  return of === null ? <span className="text-muted">any</span> : count(of);
}
