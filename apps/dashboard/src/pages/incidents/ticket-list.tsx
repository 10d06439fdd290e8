import { useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import { sentence } from '../../data/format.ts';
import { useList, type ItemOf } from '../../data/use-api.ts';
import { Alarm } from '../../parts/alarm.tsx';
import type { Column } from '../../parts/data-table/columns.ts';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { WithEmails } from '../../parts/email.tsx';
import { FilterBar, FilterSelect } from '../../parts/filter-bar.tsx';
import { Mark } from '../../parts/marks.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Empty, FilteredEmpty } from '../../parts/states.tsx';
import { Ago, Time } from '../../parts/time.tsx';
import { severityBar } from '../../parts/tone.ts';
import { oneOf, useFilters } from '../../parts/use-filters.ts';
import { platformName } from '../../data/platform.ts';
import { isStuck, useFailing, type Connector } from './failing.ts';
import { TicketMark } from './ticket-mark.tsx';

/** A ticket, and whether it cannot be created until somebody repairs its connector. */
type Ticket = ItemOf<'listTickets'> & { isStuck: boolean };

const STATUSES = ['open', 'in_progress', 'resolved', 'closed'] as const;
const STATES = ['pending', 'created', 'rejected', 'uncertain'] as const;

const COLUMNS: readonly Column<Ticket>[] = [
  { id: 'severity', head: 'Severity', width: 'w-24', wideOnly: true, cell: ({ severity }) => <Mark of={severity} /> },
  {
    id: 'title',
    head: 'Title',
    cell: ({ id, title }) => (
      <PageLink to={`/incidents/tickets/${id}`} keep title={title} className="font-medium">
        <WithEmails text={shortTitle(title)} />
      </PageLink>
    ),
    below: ({ severity, kind, external_ticket_id, updated_at }) => (
      <>
        {sentence(severity)} · {external_ticket_id ?? platformName(kind)} · <Ago at={updated_at} />
      </>
    ),
  },
  {
    id: 'external',
    head: 'Ticket',
    width: 'w-28',
    wideOnly: true,
    cell: ({ external_ticket_id }) =>
      external_ticket_id === null ? (
        <span className="text-muted">Not created</span>
      ) : (
        <span className="font-mono text-small">{external_ticket_id}</span>
      ),
  },
  { id: 'platform', head: 'Platform', width: 'w-24', wideOnly: true, cell: ({ kind }) => platformName(kind) },
  {
    id: 'status',
    head: 'Status',
    width: 'w-28 md:w-32',
    cell: ({ sync_state, status, isStuck }) => <TicketMark state={sync_state} status={status} isStuck={isStuck} />,
  },
  {
    id: 'updated',
    head: 'Updated',
    width: 'w-28',
    align: 'end',
    wideOnly: true,
    cell: ({ updated_at }) => <Ago at={updated_at} />,
  },
];

/** The title without the prefix `[system] kind:` of the default template, for which a row has no room. */
function shortTitle(title: string): string {
  return title.replace(/^\[[^\]]*\] [a-z_]+: /, '');
}

/** The tickets of all connectors, including tickets that could not be created. */
export function TicketList() {
  const { ticketId } = useParams({ strict: false });
  const [{ status, state }, setFilters] = useFilters<'status' | 'state'>();
  const tickets = useList('listTickets', { status: oneOf(status, STATUSES), sync_state: oneOf(state, STATES) });
  const failing = useFailing();
  const items = useMemo(
    () => tickets.items.map(ticket => ({ ...ticket, isStuck: isStuck(ticket, failing) })),
    [tickets.items, failing],
  );
  const list = { ...tickets, items };
  const isFiltered = status !== undefined || state !== undefined;
  const clear = (): void => setFilters({ status: undefined, state: undefined });
  return (
    <>
      <FilterBar isFiltered={isFiltered} onClear={clear} list={list} hidesIfEmpty>
        <FilterSelect
          label="Status"
          value={status}
          options={STATUSES.map(each => [each, sentence(each)] as const)}
          onChange={status => setFilters({ status })}
        />
        <FilterSelect
          label="Creation"
          value={state}
          options={STATES.map(each => [each, sentence(each)] as const)}
          onChange={state => setFilters({ state })}
        />
      </FilterBar>
      {failing.map(connector => (
        <Failing key={connector.id} connector={connector} />
      ))}
      <DataTable
        caption="Tickets"
        columns={COLUMNS}
        list={list}
        rowKey={({ id }) => id}
        opened={ticketId}
        mark={({ isStuck, sync_state }) => (isStuck || sync_state === 'rejected' ? severityBar('failed') : undefined)}
        empty={
          isFiltered ? (
            <FilteredEmpty what="tickets" />
          ) : (
            <Empty title="No tickets yet">
              An active connector opens a ticket for each incident. Connect a platform under{' '}
              <PageLink to="/integrations" className="link">
                Integrations
              </PageLink>
              .
            </Empty>
          )
        }
      />
    </>
  );
}

/** Says why the tickets of a connector wait. */
function Failing({ connector: { id, name, problem } }: { connector: Connector }) {
  if (problem === null) return null;
  return (
    <Alarm
      title={
        <>
          <PageLink to={`/integrations/${id}`} className="underline underline-offset-3">
            <bdi>{name}</bdi>
          </PageLink>{' '}
          has created no tickets since <Time at={problem.since} />.
        </>
      }
    >
      <p className="break-words">
        <bdi>{problem.message}</bdi>
      </p>
    </Alarm>
  );
}
