import { useParams } from '@tanstack/react-router';
import { sentence } from '../../data/format.ts';
import { useApi } from '../../data/use-api.ts';
import { useMay } from '../../data/scopes.ts';
import { CopyText } from '../../parts/copy-text.tsx';
import { WithEmails } from '../../parts/email.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Mark } from '../../parts/marks.tsx';
import { Section } from '../../parts/page.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { Failure, Skeleton } from '../../parts/states.tsx';
import { Ago, Time } from '../../parts/time.tsx';
import { Condition, flat } from '../../parts/in-words.tsx';
import { PolicyActions } from './policy-actions.tsx';
import { LastChange, PolicyHistory } from './policy-history.tsx';
import { PolicyHits } from './policy-hits.tsx';

/** Sheet of one policy: its content, recent hits and versions. */
export function PolicySheet() {
  const { id = '' } = useParams({ strict: false });
  const policy = useApi('getPolicy', { id });
  const mayWrite = useMay('policies:write');
  const { data } = policy;
  const conditions = flat(data?.conditions ?? {});
  return (
    <Sheet
      kind="Policy"
      over="/policies"
      title={<bdi>{data?.name ?? 'Policy'}</bdi>}
      actions={data && mayWrite && <PolicyActions key={data.id} policy={data} />}
    >
      {policy.isPending && <Skeleton lines={5} />}
      {policy.error && <Failure error={policy.error} onRetry={() => void policy.refetch()} />}
      {data && (
        <>
          {data.description !== null && (
            <p dir="auto" className="break-words whitespace-pre-wrap text-muted">
              {data.description}
            </p>
          )}
          <Facts
            facts={[
              [
                'Status',
                <Mark
                  key="state"
                  of={data.enabled ? 'active' : 'inactive'}
                  word={data.enabled ? 'Enabled' : 'Disabled'}
                />,
              ],
              ['When it matches', <Mark key="action" of={data.action} />],
              ['Violation severity', data.severity === null ? undefined : <Mark key="of" of={data.severity} />],
              [
                'Models',
                data.model === null ? (
                  'All'
                ) : (
                  <bdi key="model" className="font-mono text-small break-all">
                    {data.model}
                  </bdi>
                ),
              ],
              ['Updated', <LastChange key="changed" policy={data} />],
              ['Created', <Time key="created" at={data.created_at} />],
              ['ID', <CopyText key="id" text={data.id} what="policy ID" />],
            ]}
          />
          <Section title={conditions.length === 0 ? 'Applies to all users' : 'Applies if all conditions match'}>
            {conditions.length === 0 ? (
              <p className="py-2 text-muted">No conditions.</p>
            ) : (
              <ul>
                {conditions.map(([attribute, operator, operand]) => (
                  <li key={`${attribute} ${operator}`} className="border-b border-line py-2 break-words">
                    <Condition attribute={attribute} operator={operator} operand={operand} />
                  </li>
                ))}
              </ul>
            )}
          </Section>
          <PolicyHits id={data.id} />
          <PolicyIncidents id={data.id} />
          <PolicyHistory policy={data} />
        </>
      )}
    </Sheet>
  );
}

/** The latest incidents of the policy. */
function PolicyIncidents({ id }: { id: string }) {
  const mayRead = useMay('incidents:read');
  const { data } = useApi('listIncidents', { policy_id: id, limit: 5 }, { enabled: mayRead });
  if (!data || data.items.length === 0) return null;
  return (
    <Section
      title="Recent incidents"
      aside={
        <PageLink to="/incidents" search={{ policy_id: id }} className="link">
          View all incidents
        </PageLink>
      }
    >
      <ul>
        {data.items.map(({ id, severity, user_email, model, status, occurrences, last_seen_at }) => (
          <li key={id} className="flex min-h-9 items-center gap-3 border-b border-line">
            <Mark of={severity} />
            <PageLink to={`/incidents/${id}`} className="min-w-0 flex-1 truncate hover:underline">
              <WithEmails text={[user_email, model].filter(each => each !== null).join(' · ')} />
            </PageLink>
            {occurrences > 1 && <span className="text-muted tabular-nums">{occurrences} times</span>}
            <span className="text-muted max-sm:hidden">{sentence(status)}</span>
            <span className="text-muted">
              <Ago at={last_seen_at} />
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
