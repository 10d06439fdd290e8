import { useMay } from '../data/scopes.ts';
import { useApi } from '../data/use-api.ts';
import { PageLink } from './page-link.tsx';

/**
 * Name of a person by id, linked to their page. Shows the id if the person may not be read. In a table, the link looks
 * like one only when it is pointed at.
 */
export function PersonName({ id, inTable = false }: { id: string; inTable?: boolean }) {
  const mayRead = useMay('users:read');
  const { data, error } = useApi('getUser', { id }, { enabled: mayRead });
  if (!mayRead || error) return <span className="font-mono text-small">{id}</span>;
  if (!data) return <span className="text-muted">…</span>;
  return (
    <PageLink to={`/users/${id}`} className={inTable ? 'hover:underline' : 'link'}>
      <bdi>{data.name}</bdi>
    </PageLink>
  );
}
