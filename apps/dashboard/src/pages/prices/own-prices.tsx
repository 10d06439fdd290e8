import { useMemo } from 'react';
import { useList, type ItemOf } from '../../data/use-api.ts';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import type { Column } from '../../parts/data-table/columns.ts';
import { PageLink } from '../../parts/page-link.tsx';
import { Section } from '../../parts/page.tsx';
import { Ago, Time } from '../../parts/time.tsx';
import { alignedPrice } from './per-million.ts';

/** An own price, or an alias of a catalogue model. */
export type Price = ItemOf<'listPrices'>;

const columnsOf = (prices: readonly Price[]): readonly Column<Price>[] => [
  {
    id: 'model',
    head: 'Model',
    cell: ({ id, model }) => (
      <PageLink to={`/prices/${id}`} keep className="font-mono text-small">
        <bdi>{model}</bdi>
      </PageLink>
    ),
    below: ({ provider }) => (provider === null ? 'All providers' : <bdi>{provider}</bdi>),
  },
  {
    id: 'provider',
    head: 'Provider',
    width: 'w-32',
    wideOnly: true,
    cell: ({ provider }) => (provider === null ? <span className="text-muted">All</span> : <bdi>{provider}</bdi>),
  },
  {
    id: 'input',
    head: 'Input',
    width: 'w-24',
    align: 'end',
    cell: ({ alias, input_per_million_usd }) =>
      alias ? (
        <As />
      ) : (
        alignedPrice(
          input_per_million_usd,
          prices.map(each => each.input_per_million_usd),
        )
      ),
  },
  {
    id: 'output',
    head: 'Output',
    width: 'w-24 md:w-48',
    align: 'end',
    cell: ({ alias, output_per_million_usd }) =>
      alias ? (
        <bdi className="font-mono text-small">{alias.model}</bdi>
      ) : (
        alignedPrice(
          output_per_million_usd,
          prices.map(each => each.output_per_million_usd),
        )
      ),
  },
  {
    id: 'from',
    head: 'Effective from',
    width: 'w-40',
    align: 'end',
    wideOnly: true,
    cell: ({ effective_from }) =>
      effective_from === null ? <span className="text-muted">Always</span> : <Time at={effective_from} />,
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

/** The organization's own price list. */
export function OwnPrices({ opened }: { opened: string | undefined }) {
  const list = useList('listPrices', {});
  return (
    <Section title="Custom prices" list={list} aside="USD per million tokens">
      <DataTable
        caption="Custom prices"
        columns={useMemo(() => columnsOf(list.items), [list.items])}
        list={list}
        rowKey={({ id }) => id}
        opened={opened}
        empty={<p className="py-3 text-muted">No custom prices. Models use catalog prices where they exist.</p>}
      />
    </Section>
  );
}

function As() {
  return <span className="text-muted">priced as</span>;
}
