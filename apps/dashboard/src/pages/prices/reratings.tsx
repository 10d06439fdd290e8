import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { count, money } from '../../data/format.ts';
import { useList, type ItemOf } from '../../data/use-api.ts';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import type { Column } from '../../parts/data-table/columns.ts';
import { Mark } from '../../parts/marks.tsx';
import { Section } from '../../parts/page.tsx';
import { Ago } from '../../parts/time.tsx';

type Rerating = ItemOf<'listReratings'>;

const MARKS = {
  pending: ['pending', 'Pending'],
  running: ['in_progress', 'Running'],
  done: ['succeeded', 'Done'],
  failed: ['failed', 'Failed; start another'],
} as const;

const COLUMNS: readonly Column<Rerating>[] = [
  { id: 'days', head: 'Days, UTC', cell: ({ start_date, end_date }) => `${start_date} to ${end_date}` },
  {
    id: 'of',
    head: 'Models',
    width: 'w-56',
    wideOnly: true,
    cell: ({ provider, model }) => (
      <>
        <bdi className="font-mono text-small">{model ?? 'All'}</bdi>
        {provider !== null && (
          <span className="text-muted">
            {' '}
            of <bdi>{provider}</bdi>
          </span>
        )}
      </>
    ),
  },
  {
    id: 'status',
    head: 'Status',
    width: 'w-32 md:w-44',
    cell: ({ status }) => <Mark of={MARKS[status][0]} word={MARKS[status][1]} />,
  },
  {
    id: 'examined',
    head: 'Processed',
    width: 'w-24',
    align: 'end',
    wideOnly: true,
    cell: ({ events_examined }) => count(events_examined),
  },
  {
    id: 'adjusted',
    head: 'Changed',
    width: 'w-24',
    align: 'end',
    wideOnly: true,
    cell: ({ events_adjusted }) => count(events_adjusted),
  },
  {
    id: 'usd',
    head: 'Cost change',
    width: 'w-28',
    align: 'end',
    cell: ({ events_adjusted, adjustment_usd }) =>
      events_adjusted === 0 ? (
        <span className="text-muted">None</span>
      ) : (
        `${adjustment_usd < 0 ? '−' : '+'}${money(Math.abs(adjustment_usd))}`
      ),
  },
  {
    id: 'at',
    head: 'Started',
    width: 'w-32',
    align: 'end',
    wideOnly: true,
    cell: ({ created_at }) => <Ago at={created_at} />,
  },
];

/** Poll interval of a running re-rating, in milliseconds. */
const LOOK_EVERY = 2_000;

/** Re-ratings with their progress. */
export function Reratings() {
  const list = useList('listReratings', {});
  const client = useQueryClient();
  const isUnderWay = list.items.some(({ status }) => status === 'pending' || status === 'running');
  useEffect(() => {
    if (!isUnderWay) return undefined;
    const timer = setInterval(() => void client.invalidateQueries({ queryKey: ['listReratings'] }), LOOK_EVERY);
    return () => {
      clearInterval(timer);
      // After a re-rating has ended, the page refetches what the re-rating has changed.
      void client.invalidateQueries({ queryKey: ['listUnpricedModels'] });
    };
  }, [isUnderWay, client]);
  return (
    <Section title="Re-ratings" list={list}>
      <DataTable
        caption="Re-ratings"
        columns={COLUMNS}
        list={list}
        rowKey={({ id }) => id}
        empty={<p className="py-3 text-muted">No re-ratings. Re-rate earlier usage to apply a new price to it.</p>}
      />
    </Section>
  );
}
