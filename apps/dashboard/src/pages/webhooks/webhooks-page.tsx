import { useParams } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useMemo } from 'react';
import { webhookName } from '../../data/webhook-name.ts';
import { count, percent } from '../../data/format.ts';
import { useMay } from '../../data/scopes.ts';
import { sortedBy, useWhole, whole } from '../../data/use-whole.ts';
import { buttonClass } from '../../parts/button.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import type { Column } from '../../parts/data-table/columns.ts';
import { FilterBar, FilterSelect, FilterText } from '../../parts/filter-bar.tsx';
import { Mark } from '../../parts/marks.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, FilteredEmpty } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { severityBar } from '../../parts/tone.ts';
import { oneOf, useFilters } from '../../parts/use-filters.ts';
import { healthOf, took, type Webhook } from './webhook.ts';

const STATES = ['failing', 'healthy', 'unknown', 'paused'] as const;

const stateOf = ({ enabled, health }: Webhook): (typeof STATES)[number] => (enabled ? health.state : 'paused');

const COLUMNS: readonly Column<Webhook>[] = [
  {
    id: 'name',
    head: 'Endpoint',
    sort: 'name',
    cell: webhook => (
      <PageLink to={`/webhooks/${webhook.id}`} keep className="font-medium">
        <bdi>{webhookName(webhook)}</bdi>
      </PageLink>
    ),
    below: ({ url }) => <bdi className="font-mono">{url}</bdi>,
  },
  {
    id: 'url',
    head: 'URL',
    width: 'w-80',
    wideOnly: true,
    cell: ({ url }) => <bdi className="font-mono text-small text-muted">{url}</bdi>,
  },
  {
    id: 'health',
    head: 'Health',
    width: 'w-36',
    sort: 'health',
    cell: webhook => {
      const [mark, word] = healthOf(webhook);
      return <Mark of={mark} word={word} />;
    },
  },
  {
    id: 'rate',
    head: 'Accepted, 24 h',
    width: 'w-36',
    wideOnly: true,
    align: 'end',
    sort: 'rate',
    cell: ({ health: { success_rate, attempts } }) =>
      success_rate === null ? (
        <None />
      ) : (
        <>
          {percent(success_rate)} <span className="text-muted">of {count(attempts)}</span>
        </>
      ),
  },
  {
    id: 'time',
    head: 'Response time',
    width: 'w-36',
    wideOnly: true,
    align: 'end',
    sort: 'time',
    cell: ({ health: { average_duration_ms: average } }) => (average === null ? <None /> : took(average)),
  },
  {
    id: 'success',
    head: 'Last success',
    width: 'w-32',
    wideOnly: true,
    align: 'end',
    cell: ({ health: { last_success_at: at } }) =>
      at === null ? <span className="text-muted">Never</span> : <Ago at={at} />,
  },
  {
    id: 'failing',
    head: 'Failing since',
    width: 'w-32',
    wideOnly: true,
    align: 'end',
    cell: ({ enabled, created_at, health: { state, last_success_at } }) =>
      enabled && state === 'failing' ? <Ago at={last_success_at ?? created_at} /> : <None />,
  },
];

const ORDERS = {
  name: (webhook: Webhook) => webhookName(webhook).toLowerCase(),
  // Failing webhooks have the greatest rank, so the first press on the column header shows them first.
  health: (webhook: Webhook) => -STATES.indexOf(stateOf(webhook)),
  rate: ({ health }: Webhook) => health.success_rate,
  time: ({ health }: Webhook) => health.average_duration_ms,
};

/** Page of webhooks. */
export function WebhooksPage() {
  const { id } = useParams({ strict: false });
  const mayWrite = useMay('webhooks:write');
  const [filters, setFilters] = useFilters<'q' | 'health' | 'sort'>();
  const { q, sort = '-health' } = filters;
  const health = oneOf(filters.health, STATES);
  const list = useWhole('listWebhooks', {});
  const items = useMemo(() => {
    const part = q?.toLowerCase() ?? '';
    const found = list.items.filter(
      webhook =>
        `${webhook.url} ${webhook.description ?? ''}`.toLowerCase().includes(part) &&
        (health === undefined || stateOf(webhook) === health),
    );
    return sortedBy(found, sort, ORDERS);
  }, [list.items, q, health, sort]);
  const shown = whole(list, items);
  const isFiltered = q !== undefined || health !== undefined;
  const clear = (): void => setFilters({ q: undefined, health: undefined });
  return (
    <Page
      title="Webhooks"
      lead="Endpoints that receive events. Failing ones come first."
      actions={
        mayWrite && (
          <PageLink to="/webhooks/new" keep className={buttonClass('primary')}>
            <Plus size={14} aria-hidden />
            Register endpoint
          </PageLink>
        )
      }
    >
      <FilterBar isFiltered={isFiltered} onClear={clear} list={shown} hidesIfEmpty>
        <FilterText
          label="URL or description"
          placeholder="URL or description"
          value={q}
          onChange={q => setFilters({ q })}
        />
        <FilterSelect
          label="Health"
          value={health}
          options={[
            ['failing', 'Failing'],
            ['healthy', 'Healthy'],
            ['unknown', 'No deliveries'],
            ['paused', 'Paused'],
          ]}
          onChange={health => setFilters({ health })}
        />
      </FilterBar>
      <DataTable
        caption="Webhooks"
        columns={COLUMNS}
        list={shown}
        rowKey={({ id }) => id}
        opened={id}
        sort={sort}
        onSort={sort => setFilters({ sort })}
        mark={webhook => (stateOf(webhook) === 'failing' ? severityBar('critical') : undefined)}
        empty={
          isFiltered ? (
            <FilteredEmpty what="endpoints" />
          ) : (
            <Empty
              title="No endpoints yet"
              actions={
                mayWrite && (
                  <PageLink to="/webhooks/new" className={buttonClass()}>
                    Register endpoint
                  </PageLink>
                )
              }
            >
              Receive each event as signed JSON at your HTTPS URL, with up to five attempts.
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
