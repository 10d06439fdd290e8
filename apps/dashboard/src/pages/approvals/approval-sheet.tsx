import { useParams } from '@tanstack/react-router';
import { plural } from '../../data/format.ts';
import { useMay } from '../../data/scopes.ts';
import type { AnswerOf } from '../../data/call.ts';
import { useApi } from '../../data/use-api.ts';
import { CopyText } from '../../parts/copy-text.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Mark } from '../../parts/marks.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { PersonName } from '../../parts/person-name.tsx';
import { Section } from '../../parts/page.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { Failure, Skeleton } from '../../parts/states.tsx';
import { Ago, Time } from '../../parts/time.tsx';
import { ApprovalActions } from './approval-actions.tsx';

/** Sheet of one request for approval, with the actions to approve or deny it. */
export function ApprovalSheet() {
  const { id = '' } = useParams({ strict: false });
  const approval = useApi('getApproval', { id });
  const mayWrite = useMay('approvals:write');
  const { data } = approval;
  return (
    <Sheet
      kind="Approval request"
      over="/approvals"
      title={
        data ? (
          <bdi>
            {`${data.user_email ?? 'Someone'} requests `}
            {/* Does not break at the hyphens of the model's name if the name fits on a line. */}
            <span className="inline-block max-w-full">{data.model}</span>
          </bdi>
        ) : (
          'Request'
        )
      }
      actions={
        data &&
        mayWrite &&
        ['pending', 'approved'].includes(data.status) && <ApprovalActions key={data.id} approval={data} />
      }
    >
      {approval.isPending && <Skeleton lines={5} />}
      {approval.error && <Failure error={approval.error} onRetry={() => void approval.refetch()} />}
      {data && (
        <>
          <Facts
            facts={[
              ['Status', <Mark key="status" of={data.status} />],
              ['User', <PersonName key="who" id={data.user_id} email={data.user_email} />],
              ['Model', <bdi key="model" className="font-mono text-small">{`${data.provider} / ${data.model}`}</bdi>],
              [
                'Policy',
                <PageLink key="policy" to={`/policies/${data.policy_id}`} className="link">
                  <bdi>{data.policy_name}</bdi>
                </PageLink>,
              ],
              ['Requested', plural(data.requests, 'time')],
              ['First requested', <Time key="first" at={data.requested_at} />],
              ['Last requested', <Time key="last" at={data.last_requested_at} />],
              [
                data.status === 'approved' ? 'Grant expires' : 'Request expires',
                <Time key="ends" at={data.expires_at} />,
              ],
              ['Reviewed by', data.decided_by === null ? undefined : <bdi key="by">{data.decided_by.name}</bdi>],
              ['Reviewed', data.decided_at === null ? undefined : <Time key="decided" at={data.decided_at} />],
              ['Reason', data.reason ?? undefined],
              ['ID', <CopyText key="id" text={data.id} what="approval ID" />],
            ]}
          />
          <Calls approval={data} />
        </>
      )}
    </Sheet>
  );
}

/** Number of recent calls that are shown. */
const CALLS = 8;

/** The latest calls of the person that this policy matched, which show why the approval is requested. */
function Calls({ approval: { user_id, policy_id } }: { approval: AnswerOf<'getApproval'> }) {
  const mayRead = useMay('decisions:read');
  const { data } = useApi('listDecisions', { user_id, policy_id, limit: CALLS }, { enabled: mayRead });
  if (!data || data.items.length === 0) return null;
  return (
    <Section
      title="Calls that the policy matched"
      aside={
        data.has_more && (
          <PageLink to="/decisions" search={{ user_id, policy_id, range: '90d' }} className="link">
            View all
          </PageLink>
        )
      }
    >
      <ul>
        {data.items.map(({ id, action, model, evaluated_at }) => (
          <li key={id} className="flex min-h-9 items-center gap-3 border-b border-line">
            <Mark of={action} />
            <PageLink to={`/decisions/${id}`} className="link min-w-0 truncate font-mono text-small">
              <bdi>{model}</bdi>
            </PageLink>
            <span className="ml-auto text-muted">
              <Ago at={evaluated_at} />
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
