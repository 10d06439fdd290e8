import { CircleCheck } from 'lucide-react';
import { tickOf } from '../../charts/usage-stack.ts';
import { count, shortCount } from '../../data/format.ts';
import { useMay } from '../../data/scopes.ts';
import { useList, type ItemOf } from '../../data/use-api.ts';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import type { Column } from '../../parts/data-table/columns.ts';
import { PageLink } from '../../parts/page-link.tsx';
import { Section } from '../../parts/page.tsx';

type Unpriced = ItemOf<'listUnpricedModels'>;

const COLUMNS: readonly Column<Unpriced>[] = [
  { id: 'model', head: 'Model', cell: row => <Model row={row} />, below: ({ provider }) => <bdi>{provider}</bdi> },
  { id: 'provider', head: 'Provider', width: 'w-32', wideOnly: true, cell: ({ provider }) => <bdi>{provider}</bdi> },
  {
    id: 'requests',
    head: 'Requests',
    width: 'w-24',
    align: 'end',
    cell: ({ unpriced_requests }) => count(unpriced_requests),
  },
  {
    id: 'input',
    head: 'Input tokens',
    width: 'w-28',
    align: 'end',
    wideOnly: true,
    cell: ({ input_tokens }) => shortCount(input_tokens),
  },
  {
    id: 'output',
    head: 'Output tokens',
    width: 'w-28',
    align: 'end',
    wideOnly: true,
    cell: ({ output_tokens }) => shortCount(output_tokens),
  },
  {
    id: 'days',
    head: 'Days, UTC',
    width: 'w-40',
    align: 'end',
    wideOnly: true,
    cell: ({ first_day, last_day }) =>
      first_day === last_day ? tickOf(first_day) : `${tickOf(first_day)} – ${tickOf(last_day)}`,
  },
  {
    id: 'cost',
    head: 'Cost',
    width: 'w-24',
    align: 'end',
    cell: () => <span className="font-medium text-high">Unknown</span>,
  },
];

/** Models without a known price. Their usage adds no cost. */
export function UnpricedModels() {
  const list = useList('listUnpricedModels', {});
  const isNone = !list.isPending && list.error === null && list.items.length === 0;
  return (
    <Section title="Models without a price" list={list} aside="Not included in reports and budgets">
      {isNone ? (
        <p className="flex min-h-10 items-center gap-2">
          <CircleCheck size={14} aria-hidden className="text-ok" />
          All usage has a price.
        </p>
      ) : (
        <DataTable
          caption="Models without a price"
          noun={['model without a price', 'models without a price']}
          columns={COLUMNS}
          list={list}
          rowKey={({ provider, model }) => JSON.stringify([provider, model])}
          empty={null}
        />
      )}
    </Section>
  );
}

function Model({ row: { provider, model } }: { row: Unpriced }) {
  const mayWrite = useMay('prices:write');
  const name = <bdi className="font-mono text-small">{model}</bdi>;
  if (!mayWrite) return name;
  return (
    <span className="flex min-w-0 items-center gap-3">
      <PageLink to="/prices/new" search={{ provider, model }} className="min-w-0 truncate">
        {name}
      </PageLink>
      <span aria-hidden className="link shrink-0 text-small max-sm:hidden">
        Set price
      </span>
    </span>
  );
}
