import { useParams } from '@tanstack/react-router';
import { useMay } from '../../data/scopes.ts';
import { useList, type ItemOf } from '../../data/use-api.ts';
import { buttonClass } from '../../parts/button.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import type { Column } from '../../parts/data-table/columns.ts';
import { Mark } from '../../parts/marks.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Section } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';

/** A model provider that the gateway calls. */
export type Provider = ItemOf<'listGatewayProviders'>;

/** The formats of the APIs of model providers. */
export const KINDS = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  openai_compatible: 'OpenAI-compatible',
} as const;

const COLUMNS: readonly Column<Provider>[] = [
  {
    id: 'name',
    head: 'Name',
    cell: ({ name }) => (
      <PageLink to={`/integrations/providers/${encodeURIComponent(name)}`} keep className="font-medium">
        <bdi>{name}</bdi>
      </PageLink>
    ),
  },
  { id: 'kind', head: 'Kind', width: 'w-48', wideOnly: true, cell: ({ kind }) => KINDS[kind] },
  {
    id: 'url',
    head: 'Base URL',
    width: 'w-72',
    wideOnly: true,
    cell: ({ base_url }) => <bdi className="font-mono text-small text-muted">{base_url}</bdi>,
  },
  {
    id: 'key',
    head: 'API key',
    width: 'w-32',
    wideOnly: true,
    cell: ({ has_api_key, api_key_set_at }) => {
      if (!has_api_key) return <span className="text-muted">None</span>;
      return api_key_set_at === null ? (
        'Stored'
      ) : (
        <>
          Set <Time at={api_key_set_at} day />
        </>
      );
    },
  },
  {
    id: 'state',
    head: 'Status',
    width: 'w-32',
    cell: ({ active }) => <Mark of={active ? 'active' : 'paused'} word={active ? 'Active' : 'Inactive'} />,
  },
];

/** Table of the providers that the gateway calls. */
export function Providers() {
  const { name } = useParams({ strict: false });
  const mayWrite = useMay('gateway:write');
  const list = useList('listGatewayProviders', {});
  return (
    <Section
      title="Gateway providers"
      list={list}
      aside={
        mayWrite && (
          <PageLink to="/integrations/providers/new" keep className={buttonClass('plain', true)}>
            Add provider
          </PageLink>
        )
      }
    >
      <DataTable
        caption="Gateway providers"
        columns={COLUMNS}
        list={list}
        rowKey={({ name }) => name}
        opened={name}
        empty={<p className="py-3 text-muted">No providers. Add one to send calls through the gateway.</p>}
      />
    </Section>
  );
}
