import { useParams } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useMemo } from 'react';
import { money, sentence } from '../../data/format.ts';
import { useMay } from '../../data/scopes.ts';
import { sortedBy, useWhole, whole } from '../../data/use-whole.ts';
import { buttonClass } from '../../parts/button.tsx';
import { cx } from '../../parts/cx.ts';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import type { Column } from '../../parts/data-table/columns.ts';
import { FilterBar, FilterSelect, FilterText } from '../../parts/filter-bar.tsx';
import { Mark } from '../../parts/marks.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, FilteredEmpty } from '../../parts/states.tsx';
import { useNow } from '../../parts/time.tsx';
import { oneOf, useFilters } from '../../parts/use-filters.ts';
import { BudgetMeter, Share } from './budget-meter.tsx';
import { OfWhom } from '../../parts/of-whom.tsx';
import { shareOf, shortProjection, standingOf, type Budget } from './standing.ts';
import { Unpriced } from './unpriced.tsx';

const SCOPES = ['organization', 'department', 'user', 'model'] as const;
const SCOPE_NAMES = SCOPES.map(
  each => [each, each === 'organization' ? 'Whole organization' : sentence(each)] as const,
);
const ENFORCEMENTS = ['notify', 'block'] as const;
const STANDINGS = [
  ['within', 'Below 80%'],
  ['warning', '80% or more'],
  ['exceeded', 'Exceeded'],
] as const;

const COLUMNS: readonly Column<Budget>[] = [
  {
    id: 'name',
    head: 'Name',
    sort: 'name',
    cell: ({ id, name }) => (
      <PageLink to={`/budgets/${id}`} keep className="font-medium">
        <bdi>{name}</bdi>
      </PageLink>
    ),
    below: budget => <Projection budget={budget} />,
  },
  { id: 'of', head: 'Scope', width: 'w-36', wideOnly: true, cell: budget => <OfWhom of={budget} /> },
  { id: 'period', head: 'Period', width: 'w-24', wideOnly: true, cell: ({ period }) => sentence(period) },
  {
    id: 'enforcement',
    head: 'When exceeded',
    width: 'w-32',
    wideOnly: true,
    cell: ({ enforcement }) => (enforcement === 'block' ? <Mark of="block" /> : <Mark of="alert" word="Alert only" />),
  },
  {
    id: 'share',
    head: 'Used',
    width: 'w-20 md:w-64',
    align: 'end',
    sort: 'share',
    cell: budget => (
      <span className="flex items-center justify-end gap-2">
        <span className="flex min-w-0 flex-1 max-md:hidden">
          <BudgetMeter budget={budget} />
        </span>
        <span className="w-14 shrink-0">
          <Share budget={budget} />
        </span>
      </span>
    ),
  },
  {
    id: 'amount',
    head: 'Spent',
    width: 'w-24 md:w-44',
    align: 'end',
    sort: 'amount',
    cell: ({ amount_usd, spent_usd }) => (
      <>
        {spent_usd !== null && <>{money(spent_usd)} </>}
        <span className={cx('text-muted', spent_usd !== null && 'max-md:hidden')}>of {money(amount_usd)}</span>
      </>
    ),
    below: ({ amount_usd, spent_usd }) => spent_usd !== null && `of ${money(amount_usd)}`,
  },
  {
    id: 'projection',
    head: 'Forecast',
    width: 'w-48',
    align: 'end',
    wideOnly: true,
    sort: 'exhaustion',
    cell: budget => <Projection budget={budget} />,
  },
];

const ORDERS = {
  name: ({ name }: Budget) => name,
  share: shareOf,
  amount: ({ amount_usd }: Budget) => amount_usd,
  exhaustion: ({ projected_exhaustion }: Budget) => projected_exhaustion,
};

/** Page of budgets with their current spending. The budgets closest to their amount come first. */
export function BudgetsPage() {
  const { id } = useParams({ strict: false });
  const mayWrite = useMay('budgets:write');
  const [filters, setFilters] = useFilters<'q' | 'scope' | 'enforcement' | 'standing' | 'sort'>();
  const { q, sort = '-share' } = filters;
  const scope = oneOf(filters.scope, SCOPES);
  const enforcement = oneOf(filters.enforcement, ENFORCEMENTS);
  const standing = STANDINGS.find(([id]) => id === filters.standing)?.[0];
  const list = useWhole('listBudgets', { scope, enforcement });
  const items = useMemo(() => {
    const found = list.items.filter(
      budget =>
        (q === undefined || budget.name.toLowerCase().includes(q.toLowerCase())) &&
        (standing === undefined || standingOf(budget) === standing),
    );
    return sortedBy(found, sort, ORDERS);
  }, [list.items, q, standing, sort]);
  const shown = whole(list, items);
  const isFiltered = [q, scope, enforcement, standing].some(each => each !== undefined);
  const clear = (): void => setFilters({ q: undefined, scope: undefined, enforcement: undefined, standing: undefined });
  return (
    <Page
      title="Budgets"
      lead="Spending caps per day, week, month, quarter or year, with alerts before they are reached."
      actions={
        mayWrite && (
          <PageLink to="/budgets/new" keep className={buttonClass('primary')}>
            <Plus size={14} aria-hidden />
            New budget
          </PageLink>
        )
      }
    >
      <FilterBar isFiltered={isFiltered} onClear={clear} list={shown} hidesIfEmpty>
        <FilterText label="Budget name" placeholder="Name" value={q} onChange={q => setFilters({ q })} />
        <FilterSelect
          label="Scope"
          all="Any scope"
          value={scope}
          options={SCOPE_NAMES}
          onChange={scope => setFilters({ scope })}
        />
        <FilterSelect
          label="When exceeded"
          all="Any action"
          value={enforcement}
          options={[
            ['notify', 'Alert only'],
            ['block', 'Block'],
          ]}
          onChange={enforcement => setFilters({ enforcement })}
        />
        <FilterSelect
          label="Status"
          all="Any status"
          value={standing}
          options={STANDINGS}
          onChange={standing => setFilters({ standing })}
        />
      </FilterBar>
      <Unpriced budgets={list.items} />
      <DataTable
        caption="Budgets"
        columns={COLUMNS}
        list={shown}
        rowKey={({ id }) => id}
        opened={id}
        sort={sort}
        onSort={sort => setFilters({ sort })}
        empty={
          isFiltered ? (
            <FilteredEmpty what="budgets" />
          ) : (
            <Empty
              title="No budgets yet"
              actions={
                mayWrite && (
                  <PageLink to="/budgets/new" className={buttonClass()}>
                    New budget
                  </PageLink>
                )
              }
            >
              Cap what the organization, a department, a user or a model may spend.
            </Empty>
          )
        }
      />
    </Page>
  );
}

function Projection({ budget }: { budget: Budget }) {
  const text = shortProjection(budget, useNow());
  const standing = standingOf(budget);
  if (standing === 'exceeded') return <span className="text-critical">{text}</span>;
  return <span className={budget.projected_exhaustion === null ? 'text-muted' : 'text-high'}>{text}</span>;
}
