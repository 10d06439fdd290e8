import { useParams } from '@tanstack/react-router';
import type { ItemOf } from '../../data/use-api.ts';
import { ApiError } from '../../data/api-error.ts';
import { CopyText } from '../../parts/copy-text.tsx';
import { Facts } from '../../parts/facts.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { PersonName } from '../../parts/person-name.tsx';
import { Section } from '../../parts/page.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { Failure, Skeleton } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { Changes } from './changes.tsx';
import { CREDENTIALS } from './credentials.ts';
import { actionName, nameIn, resourceName, resourcePath } from './resources.ts';
import { useAuditLog } from './use-audit-log.ts';

const MISSING = new ApiError(404, 'This entry does not match the current filters and time range.');

/** Sheet of one audit entry: its actor, its origin, and each field before and after the change. */
export function AuditSheet() {
  const { id } = useParams({ strict: false });
  // The API has no route for a single entry. Therefore, the entry is searched in the list that the page shows.
  const list = useAuditLog();
  const entry = list.items.find(item => item.id === id);
  return (
    <Sheet kind="Audit entry" over="/audit" title={entry === undefined ? 'Entry' : actionName(entry.action)}>
      {list.isPending && <Skeleton lines={5} />}
      {!list.isPending && entry === undefined && <Failure error={list.error ?? MISSING} />}
      {entry && (
        <>
          <Facts
            facts={[
              ['Action', <CopyText key="action" text={entry.action} what="action" />],
              ['Time', <Time key="time" at={entry.occurred_at} seconds />],
              ['Actor', <bdi key="who">{entry.actor_name}</bdi>],
              ['Credential', CREDENTIALS[entry.actor_kind]],
              ['User', entry.actor_user_id === null ? undefined : <PersonName key="person" id={entry.actor_user_id} />],
              [
                'IP address',
                entry.address === null ? undefined : (
                  <span key="address" className="font-mono text-small">
                    {entry.address}
                  </span>
                ),
              ],
              ['Resource', <Resource key="what" entry={entry} />],
              ['Resource ID', <CopyText key="resource" text={entry.resource_id} what="resource ID" />],
              [
                'Request',
                entry.request_id === null ? undefined : (
                  <CopyText key="request" text={entry.request_id} what="request ID" />
                ),
              ],
              ['Sequence number', String(entry.seq)],
              ['Hash', <CopyText key="hash" text={entry.hash} what="hash" short />],
            ]}
          />
          <Section title="Changes">
            <Changes before={entry.before} after={entry.after} />
          </Section>
        </>
      )}
    </Sheet>
  );
}

/** The type and the name of the changed resource, with a link to its page. The resource may have been deleted since. */
function Resource({ entry: { resource_type, resource_id, before, after } }: { entry: ItemOf<'listAuditRecords'> }) {
  const path = resourcePath(resource_type, resource_id);
  const name = nameIn({ before, after });
  const shown = (
    <>
      {resourceName(resource_type)}
      {name !== undefined && (
        <>
          : <bdi>{name}</bdi>
        </>
      )}
    </>
  );
  if (path === undefined) return shown;
  return (
    <PageLink to={path} className="link">
      {shown}
    </PageLink>
  );
}
