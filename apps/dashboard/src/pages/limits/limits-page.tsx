import { useParams } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { count } from '../../data/format.ts';
import { useMay } from '../../data/scopes.ts';
import { useList, type ItemOf } from '../../data/use-api.ts';
import { buttonClass } from '../../parts/button.tsx';
import { DownloadCsv } from '../../parts/download-csv.tsx';
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
    below: limit => <OfWhom of={limit} />,
  },
  { id: 'of', head: 'Scope', wideOnly: true, cell: limit => <OfWhom of={limit} /> },
  {
    id: 'requests',
    head: 'Requests per minute',
    width: 'w-36',
    align: 'end',
    cell: ({ requests_per_minute }) => <Figure of={requests_per_minute} />,
  },
  {
    id: 'tokens',
    head: 'Tokens per minute',
    width: 'w-36',
    align: 'end',
    wideOnly: true,
    cell: ({ tokens_per_minute }) => <Figure of={tokens_per_minute} />,
  },
  {
    id: 'concurrent',
    head: 'Concurrent',
    width: 'w-36',
    align: 'end',
    wideOnly: true,
    cell: ({ concurrent_requests }) => <Figure of={concurrent_requests} />,
  },
  {
    id: 'changed',
    head: 'Updated',
    width: 'w-32',
    align: 'end',
    wideOnly: true,
    cell: ({ updated_at }) => <Ago at={updated_at} />,
  },
];

/** Page of limits. */
export function LimitsPage() {
  const { id } = useParams({ strict: false });
  const mayWrite = useMay('budgets:write');
  const list = useList('listLimits', {});
  return (
    <Page
      title="Limits"
      lead="Requests and tokens per minute, and concurrent requests."
      actions={
        <>
          <DownloadCsv list={list} />
          {mayWrite && (
            <PageLink to="/limits/new" keep className={buttonClass('primary')}>
              <Plus size={14} aria-hidden />
              New limit
            </PageLink>
          )}
        </>
      }
    >
      {/* An installation without limits has no such route. */}
      {list.error?.status === 404 ? (
        <Empty title="Limits are not available in this installation.">
          Use budgets to cap spending and policies to control access.
        </Empty>
      ) : (
        <DataTable
          caption="Limits"
          columns={COLUMNS}
          list={list}
          rowKey={({ id }) => id}
          opened={id}
          empty={
            <Empty
              title="No limits yet"
              actions={
                mayWrite && (
                  <PageLink to="/limits/new" className={buttonClass()}>
                    New limit
                  </PageLink>
                )
              }
            >
              Call rates are limited only by policies and budgets.
            </Empty>
          }
        />
      )}
    </Page>
  );
}

function Figure({ of }: { of: number | null }) {
  return of === null ? <span className="text-muted">No limit</span> : count(of);
}
