import { useMay } from '../data/scopes.ts';
import { useApi } from '../data/use-api.ts';
import { PageLink } from './page-link.tsx';

interface PersonNameProps {
  id: string;
  /** Text that is shown instead of the id if the viewer may not read people. */
  email?: string | null;
  /** In a table, the link is styled as a link only when the pointer is over it. */
  inTable?: boolean;
}

/** Name of the person with an id. It links to the page of the person, and the tooltip contains the e-mail address. */
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
