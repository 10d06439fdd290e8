import { useParams } from '@tanstack/react-router';
import { sentence } from '../../data/format.ts';
import { useApi } from '../../data/use-api.ts';
import { useMay } from '../../data/scopes.ts';
import { CopyText } from '../../parts/copy-text.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Mark } from '../../parts/marks.tsx';
import { Section } from '../../parts/page.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { Failure, Skeleton } from '../../parts/states.tsx';
import { Subject } from '../../parts/subject.tsx';
import { Ago, Time } from '../../parts/time.tsx';
import { Access } from './access.tsx';
import { UserActions } from './user-actions.tsx';
import { UserActivity } from './user-activity.tsx';

/** Sheet of one person: details, access and latest activity. */
export function UserSheet() {
  const { id = '' } = useParams({ strict: false });
  const user = useApi('getUser', { id });
  const mayWrite = useMay('users:write');
  const { data } = user;
  return (
    <Sheet
      kind="User"
      over="/users"
      title={<bdi>{data?.name ?? 'User'}</bdi>}
      actions={data && mayWrite && <UserActions key={data.id} user={data} />}
    >
      {user.isPending && <Skeleton lines={5} />}
      {user.error && <Failure error={user.error} onRetry={() => void user.refetch()} />}
      {data && (
        <>
          <Facts
            facts={[
              ['Status', <Mark key="status" of={data.status} />],
              ['Email', <CopyText key="email" text={data.email} what="email address" />],
              ['Department', data.department],
              ['Role', data.role],
              ['Last call', data.last_active_at === null ? 'Never' : <Ago key="call" at={data.last_active_at} />],
              ['Created', <Time key="created" at={data.created_at} />],
              ['ID', <CopyText key="id" text={data.id} what="user ID" />],
            ]}
          />
          <UserActivity id={data.id} />
          <Access user={data} />
          <UserIncidents id={data.id} />
          {Object.keys(data.attributes).length > 0 && (
            <Section title="Attributes">
              <Facts facts={Object.entries(data.attributes).map(([name, value]) => [name, plain(value)] as const)} />
            </Section>
          )}
        </>
      )}
    </Sheet>
  );
}

/** Writes an attribute as text. Writes an object or a list as JSON. */
function plain(value: unknown) {
  return <bdi>{typeof value === 'string' ? value : JSON.stringify(value)}</bdi>;
}

/** The latest incidents of the person. */
function UserIncidents({ id }: { id: string }) {
  const mayRead = useMay('incidents:read');
  const { data } = useApi('listIncidents', { user_id: id, limit: 5 }, { enabled: mayRead });
  if (!data || data.items.length === 0) return null;
  return (
    <Section
      title="Incidents"
      aside={
        <PageLink to="/incidents" search={{ user_id: id }} className="link">
          View all
        </PageLink>
      }
    >
      <ul>
        {data.items.map(incident => (
          <li key={incident.id} className="flex min-h-9 items-center gap-3 border-b border-line">
            <Mark of={incident.severity} />
            <PageLink to={`/incidents/${incident.id}`} className="min-w-0 flex-1 truncate hover:underline">
              <Subject of={incident} />
            </PageLink>
            <span className="text-muted">{sentence(incident.status)}</span>
            <Ago at={incident.last_seen_at} />
          </li>
        ))}
      </ul>
    </Section>
  );
}
