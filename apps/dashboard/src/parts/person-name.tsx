import { useMay } from '../data/scopes.ts';
import { useApi } from '../data/use-api.ts';
import { PageLink } from './page-link.tsx';

interface PersonNameProps {
  id: string;
  /** Shown instead of the id if the person may not be read. */
  email?: string | null;
  /** In a table, the link looks like one only when it is pointed at. */
  inTable?: boolean;
}

/** Name of a person by id, linked to their page, with the email as a tooltip. */
export function PersonName({ id, email, inTable = false }: PersonNameProps) {
  const mayRead = useMay('users:read');
  const { data, error } = useApi('getUser', { id }, { enabled: mayRead });
  if (!mayRead || error) return email ? <bdi>{email}</bdi> : <span className="font-mono text-small">{id}</span>;
  if (!data) return <span className="text-muted">…</span>;
  return (
    <PageLink to={`/users/${id}`} title={data.email} className={inTable ? 'hover:underline' : 'link'}>
      <bdi>{data.name}</bdi>
    </PageLink>
  );
}
