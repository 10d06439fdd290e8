import { useParams } from '@tanstack/react-router';
import { sentence } from '../../data/format.ts';
import { useMay } from '../../data/scopes.ts';
import { useList, type ItemOf } from '../../data/use-api.ts';
import { buttonClass } from '../../parts/button.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import type { Column } from '../../parts/data-table/columns.ts';
import { PageLink } from '../../parts/page-link.tsx';
import { Section } from '../../parts/page.tsx';
import { Ago, Time } from '../../parts/time.tsx';
import { oneOf, useFilters } from '../../parts/use-filters.ts';
import { Expiry } from './expiry.tsx';

/** An access token, without its secret. */
export type Token = ItemOf<'listTokens'>;

const SORTS = ['expires_at', '-expires_at'] as const;

const COLUMNS: readonly Column<Token>[] = [
  {
    id: 'name',
    head: 'Name',
    cell: ({ id, name }) => (
      <PageLink to={`/settings/tokens/${id}`} keep className="font-medium">
        <bdi>{name}</bdi>
      </PageLink>
    ),
    below: ({ last_used_at }) =>
      last_used_at === null ? (
        'Never used'
      ) : (
        <>
          Used <Ago at={last_used_at} />
        </>
      ),
  },
  { id: 'role', head: 'Role', width: 'w-20 md:w-24', cell: ({ role }) => sentence(role) },
  {
    id: 'scopes',
    head: 'Scopes',
    width: 'w-24',
    wideOnly: true,
    align: 'end',
    cell: ({ scopes }) => scopes.length,
  },
  {
    id: 'made',
    head: 'Created',
    width: 'w-36',
    wideOnly: true,
    align: 'end',
    cell: ({ created_at }) => <Time at={created_at} day />,
  },
  {
    id: 'used',
    head: 'Last used',
    width: 'w-36',
    wideOnly: true,
    align: 'end',
    cell: ({ last_used_at }) =>
      last_used_at === null ? <span className="text-muted">Never</span> : <Ago at={last_used_at} />,
  },
  {
    id: 'ends',
    head: 'Expires',
    sort: 'expires_at',
    sortsUp: true,
    width: 'w-32',
    align: 'end',
    cell: ({ expires_at }) => <Expiry at={expires_at} />,
  },
];

/** The access tokens of the organization. */
export function Tokens() {
  const { tokenId } = useParams({ strict: false });
  const mayWrite = useMay('tokens:write');
  const [filters, setFilters] = useFilters<'sort'>();
  const sort = oneOf(filters.sort, SORTS);
  const list = useList('listTokens', { sort });
  return (
    <Section
      title="Access tokens"
      list={list}
      aside={
        mayWrite && (
          <PageLink to="/settings/tokens/new" keep className={buttonClass('plain', true)}>
            Create token
          </PageLink>
        )
      }
    >
      <DataTable
        caption="Access tokens"
        columns={COLUMNS}
        list={list}
        sort={sort}
        onSort={sort => setFilters({ sort })}
        rowKey={({ id }) => id}
        opened={tokenId}
        empty={<p className="py-3 text-muted">No access tokens.</p>}
      />
    </Section>
  );
}
