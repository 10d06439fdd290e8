import { useParams } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useMemo } from 'react';
import { count, sentence } from '../../data/format.ts';
import { useMay } from '../../data/scopes.ts';
import type { ItemOf } from '../../data/use-api.ts';
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
import { oneOf, useFilters } from '../../parts/use-filters.ts';
import { ConditionLine } from '../../parts/in-words.tsx';
import { useWeekHits } from './use-week-hits.ts';

/** A policy, with its hits of the last seven days. The hits are undefined until they are loaded. */
type Policy = ItemOf<'listPolicies'> & { hits: number | undefined };

const ACTIONS = ['block', 'require_approval', 'alert', 'allow'] as const;
const STATES = ['enabled', 'disabled'] as const;

const COLUMNS: readonly Column<Policy>[] = [
  {
    id: 'name',
    head: 'Name and users',
    sort: 'name',
    cell: ({ id, name }) => (
      <PageLink to={`/policies/${id}`} keep className="font-medium">
        <bdi>{name}</bdi>
      </PageLink>
    ),
    below: ({ action, enabled, conditions }) => (
      <>
        <span className="md:hidden">
          {enabled ? '' : 'Disabled · '}
          {sentence(action)} ·{' '}
        </span>
        <ConditionLine conditions={conditions} />
      </>
    ),
  },
  {
    id: 'action',
    head: 'Action',
    width: 'w-40',
    wideOnly: true,
    sort: 'action',
    cell: ({ action, enabled }) => <Mark of={action} calm={!enabled} />,
  },
  {
    id: 'model',
    head: 'Models',
    width: 'w-44',
    wideOnly: true,
    cell: ({ model }) =>
      model === null ? (
        <span className="text-muted">All models</span>
      ) : (
        <bdi className="font-mono text-small">{model}</bdi>
      ),
  },
  {
    id: 'severity',
    head: 'Severity',
    width: 'w-24',
    wideOnly: true,
    cell: ({ severity }) => (severity === null ? <span className="text-muted">–</span> : <Mark of={severity} />),
  },
  {
    id: 'state',
    head: 'Status',
    width: 'w-28',
    wideOnly: true,
    cell: ({ enabled }) => <Mark of={enabled ? 'active' : 'inactive'} word={enabled ? 'Enabled' : 'Disabled'} />,
  },
  {
    id: 'hits',
    head: 'Hits, 7 days',
    width: 'w-28',
    wideOnly: true,
    align: 'end',
    sort: 'hits',
    cell: ({ hits }) => (hits === undefined ? '' : hits === 0 ? <span className="text-muted">0</span> : count(hits)),
  },
  {
    id: 'changed',
    head: 'Updated',
    width: 'w-28',
    wideOnly: true,
    align: 'end',
    sort: 'changed',
    cell: ({ updated_at }) => <Ago at={updated_at} />,
  },
];

const ORDERS = {
  name: ({ name }: Policy) => name,
  // Rank of each action for sorting. The action that overrides all others has the greatest rank.
  action: ({ action }: Policy) => -ACTIONS.indexOf(action),
  hits: ({ hits }: Policy) => hits ?? null,
  changed: ({ updated_at }: Policy) => updated_at,
};

/** Page of policies. The policy that was changed last comes first. */
export function PoliciesPage() {
  const { id } = useParams({ strict: false });
  const mayWrite = useMay('policies:write');
  const [filters, setFilters] = useFilters<'q' | 'action' | 'state' | 'model' | 'sort'>();
  const { q, model, sort = '-changed' } = filters;
  const action = oneOf(filters.action, ACTIONS);
  const state = oneOf(filters.state, STATES);
  const list = useWhole('listPolicies', {});
  const hits = useWeekHits();
  const items = useMemo(() => {
    const has = (text: string | null, part: string | undefined): boolean =>
      part === undefined || (text ?? '').toLowerCase().includes(part.toLowerCase());
    const found = list.items.filter(
      policy =>
        has(policy.name, q) &&
        has(policy.model, model) &&
        (action === undefined || policy.action === action) &&
        (state === undefined || policy.enabled === (state === 'enabled')),
    );
    const counted = found.map(policy => Object.assign({ hits: hits && (hits.get(policy.id) ?? 0) }, policy));
    return sortedBy(counted, sort, ORDERS);
  }, [list.items, hits, q, model, action, state, sort]);
  const shown = whole(list, items);
  const isFiltered = [q, model, action, state].some(each => each !== undefined);
  const clear = (): void => setFilters({ q: undefined, model: undefined, action: undefined, state: undefined });
  return (
    <Page
      title="Policies"
      lead="Which users may call which models. If several match, the strictest wins: block, require approval, alert, allow."
      actions={
        mayWrite && (
          <PageLink to="/policies/new" keep className={buttonClass('primary')}>
            <Plus size={14} aria-hidden />
            New policy
          </PageLink>
        )
      }
    >
      <FilterBar isFiltered={isFiltered} onClear={clear} list={shown} hidesIfEmpty>
        <FilterText label="Policy name" placeholder="Name" value={q} onChange={q => setFilters({ q })} />
        <FilterText label="Model name" placeholder="Model" value={model} onChange={model => setFilters({ model })} />
        <FilterSelect
          label="Action"
          value={action}
          options={ACTIONS.map(each => [each, sentence(each)] as const)}
          onChange={action => setFilters({ action })}
        />
        <FilterSelect
          label="Status"
          value={state}
          options={[
            ['enabled', 'Enabled'],
            ['disabled', 'Disabled'],
          ]}
          onChange={state => setFilters({ state })}
        />
      </FilterBar>
      <DataTable
        caption="Policies"
        columns={COLUMNS}
        list={shown}
        rowKey={({ id }) => id}
        opened={id}
        twoLines
        sort={sort}
        onSort={sort => setFilters({ sort })}
        empty={
          isFiltered ? (
            <FilteredEmpty what="policies" />
          ) : (
            <Empty
              title="No policies yet"
              actions={
                mayWrite && (
                  <PageLink to="/policies/new" className={buttonClass()}>
                    New policy
                  </PageLink>
                )
              }
            >
              Until you create one, every call of an active user gets the default action.
            </Empty>
          )
        }
      />
    </Page>
  );
}
