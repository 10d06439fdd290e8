import { useParams } from '@tanstack/react-router';
import { useMay } from '../../data/scopes.ts';
import { useApi, useList, type ItemOf } from '../../data/use-api.ts';
import { buttonClass } from '../../parts/button.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import type { Column } from '../../parts/data-table/columns.ts';
import { Mark } from '../../parts/marks.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Section } from '../../parts/page.tsx';
import { Ago } from '../../parts/time.tsx';
import { severityBar } from '../../parts/tone.ts';

/** A connector to a ticket platform. */
export type Connector = ItemOf<'listConnectors'>;

/** The mark of a connector's state, and its label. */
export function stateOf({ active, problem }: Connector): readonly [mark: string, word: string] {
  if (!active) return ['paused', 'Disabled'];
  return problem === null ? ['active', 'Active'] : ['failed', 'Failing'];
}

/** The title of a platform, such as `Jira Cloud`. For a platform that is unknown now, its kind. */
export function useKindTitle(): (kind: string) => string {
  const { data } = useApi('listConnectorKinds', {});
  return kind => data?.items.find(each => each.kind === kind)?.title ?? kind;
}

const COLUMNS: readonly Column<Connector>[] = [
  {
    id: 'name',
    head: 'Name',
    cell: ({ id, name }) => (
      <PageLink to={`/integrations/${id}`} keep className="font-medium">
        <bdi>{name}</bdi>
      </PageLink>
    ),
    below: ({ kind }) => <Kind kind={kind} />,
  },
  { id: 'kind', head: 'Platform', width: 'w-32', wideOnly: true, cell: ({ kind }) => <Kind kind={kind} /> },
  {
    id: 'state',
    head: 'Status',
    width: 'w-28',
    cell: connector => {
      const [mark, word] = stateOf(connector);
      return <Mark of={mark} word={word} />;
    },
  },
  {
    id: 'problem',
    head: 'Problem',
    width: 'w-[52%]',
    wideOnly: true,
    cell: ({ problem }) =>
      problem === null ? <span className="text-muted">–</span> : <bdi title={problem.message}>{problem.message}</bdi>,
  },
  {
    id: 'since',
    head: 'Since',
    width: 'w-32',
    wideOnly: true,
    align: 'end',
    cell: ({ problem }) => (problem === null ? <span className="text-muted">–</span> : <Ago at={problem.since} />),
  },
];

/** Table of connectors. */
export function Connectors() {
  const { id } = useParams({ strict: false });
  const mayWrite = useMay('itsm:write');
  const list = useList('listConnectors', {});
  return (
    <Section
      title="Ticket platforms"
      list={list}
      aside={
        mayWrite && (
          <PageLink to="/integrations/new" keep className={buttonClass('plain', true)}>
            Connect platform
          </PageLink>
        )
      }
    >
      <DataTable
        caption="Ticket platforms"
        columns={COLUMNS}
        list={list}
        rowKey={({ id }) => id}
        opened={id}
        mark={connector => severityBar(stateOf(connector)[0])}
        empty={
          <p className="py-3 text-muted">No platform connected. Connect one to open a ticket for each incident.</p>
        }
      />
    </Section>
  );
}

function Kind({ kind }: { kind: string }) {
  return useKindTitle()(kind);
}
