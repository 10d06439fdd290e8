import { useParams } from '@tanstack/react-router';
import type { ItemOf } from '../../data/use-api.ts';
import type { Column } from '../../parts/data-table/columns.ts';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { FilterBar, FilterSelect, FilterText } from '../../parts/filter-bar.tsx';
import { News } from '../../parts/news.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, FilteredEmpty } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { useFilters } from '../../parts/use-filters.ts';
import { useRange } from '../../parts/use-range.ts';
import { CREDENTIALS } from './credentials.ts';
import { actionName, nameIn, resourceOptions } from './resources.ts';
import { FILTERS, useAuditLog } from './use-audit-log.ts';

type Entry = ItemOf<'listAuditRecords'>;

const COLUMNS: readonly Column<Entry>[] = [
  {
    id: 'time',
    head: 'Time',
    width: 'w-24 md:w-36',
    fits: true,
    cell: ({ id, occurred_at }) => (
      <PageLink to={`/audit/${id}`} keep>
        <Time at={occurred_at} seconds />
      </PageLink>
    ),
  },
  { id: 'actor', head: 'Actor', width: 'w-44', wideOnly: true, cell: ({ actor_name }) => <bdi>{actor_name}</bdi> },
  {
    id: 'kind',
    head: 'Credential',
    width: 'w-24',
    fits: true,
    wideOnly: true,
    cell: ({ actor_kind }) => <span className="text-muted">{CREDENTIALS[actor_kind]}</span>,
  },
  {
    id: 'action',
    head: 'Action',
    width: 'md:w-52',
    cell: ({ action }) => <span title={action}>{actionName(action)}</span>,
    below: ({ actor_name, before, after }) => (
      // A device that enrolls is both the resource and the actor.
      <bdi>{[...new Set([nameIn({ before, after }), actor_name])].filter(each => each !== undefined).join(' · ')}</bdi>
    ),
  },
  {
    id: 'resource',
    head: 'Resource',
    wideOnly: true,
    cell: ({ before, after }) => {
      const name = nameIn({ before, after });
      return name === undefined ? <span className="text-muted">–</span> : <bdi>{name}</bdi>;
    },
  },
  {
    id: 'resource_id',
    head: 'Resource ID',
    width: 'w-28',
    wideOnly: true,
    cell: ({ resource_id }) => (
      <span title={resource_id} className="font-mono text-small text-muted">
        {endOf(resource_id)}
      </span>
    ),
  },
  {
    id: 'address',
    head: 'IP address',
    width: 'w-32',
    wideOnly: true,
    cell: ({ address }) =>
      address === null ? (
        <span className="text-muted">–</span>
      ) : (
        <span className="font-mono text-small">{address}</span>
      ),
  },
];

/** The end of an id. Ids that were created in the same minute begin alike. */
function endOf(id: string): string {
  return id.length > 12 ? `…${id.slice(-8)}` : id;
}

/** Page of the audit log, with the values before and after each change. */
export function AuditPage() {
  const { id } = useParams({ strict: false });
  const [filters, setFilters] = useFilters<(typeof FILTERS)[number]>();
  const { name } = useRange();
  const list = useAuditLog();
  const { q, action, resource_type, resource_id, actor_id } = filters;
  const isFiltered = FILTERS.some(name => filters[name] !== undefined);
  const clear = (): void => setFilters(Object.fromEntries(FILTERS.map(name => [name, undefined])));
  return (
    <Page title="Audit" lead={`Every change, with its author and the values before and after. ${name}.`}>
      <FilterBar isFiltered={isFiltered} onClear={clear} aside={<News topic="audit" onShow={list.retry} />} list={list}>
        <FilterText label="Action or actor" value={q} onChange={q => setFilters({ q })} />
        <FilterSelect
          label="Resource type"
          value={resource_type}
          options={resourceOptions(resource_type)}
          onChange={resource_type => setFilters({ resource_type })}
        />
        <FilterText label="Resource ID" value={resource_id} onChange={resource_id => setFilters({ resource_id })} />
        {action !== undefined && (
          <FilterText label="Exact action" value={action} onChange={action => setFilters({ action })} />
        )}
        {actor_id !== undefined && (
          <FilterText label="Actor ID" value={actor_id} onChange={actor_id => setFilters({ actor_id })} />
        )}
      </FilterBar>
      <DataTable
        caption="Audit log"
        noun={['entry', 'entries']}
        columns={COLUMNS}
        list={list}
        rowKey={({ id }) => id}
        opened={id}
        empty={
          isFiltered ? (
            <FilteredEmpty what="entries" hasRange />
          ) : (
            <Empty title="No changes in this time range">Choose a longer time range to see earlier changes.</Empty>
          )
        }
      />
    </Page>
  );
}
