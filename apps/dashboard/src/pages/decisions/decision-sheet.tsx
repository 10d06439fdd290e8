import { useParams } from '@tanstack/react-router';
import { sentence, words } from '../../data/format.ts';
import { useApi } from '../../data/use-api.ts';
import type { AnswerOf } from '../../data/call.ts';
import { CopyText } from '../../parts/copy-text.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Mark } from '../../parts/marks.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Section } from '../../parts/page.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { Failure, Skeleton } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { ExplainedPolicies } from './explained-policies.tsx';

type Explanation = AnswerOf<'getDecisionExplanation'>;

/** Explains one decision: a summary, the matching policies with their conditions, and what has changed since. */
export function DecisionSheet() {
  const { id = '' } = useParams({ strict: false });
  const explanation = useApi('getDecisionExplanation', { id });
  const { data } = explanation;
  return (
    <Sheet
      kind="Decision"
      over="/decisions"
      title={data ? <bdi>{`${sentence(data.as_it_was.action)}: ${data.as_it_was.model}`}</bdi> : 'Decision'}
    >
      {explanation.isPending && <Skeleton lines={6} />}
      {explanation.error && <Failure error={explanation.error} onRetry={() => void explanation.refetch()} />}
      {data && (
        <>
          {/* The text is an English sentence, even if it begins with a name that is written from right to left. */}
          <p dir="ltr" className="text-lead">
            {data.summary}
          </p>
          {!data.complete && (
            <p className="border-l-2 border-medium pl-3">
              Some inputs of this decision are no longer kept. The gaps are marked below.
            </p>
          )}
          <DecisionFacts id={id} explanation={data} />
          <ExplainedPolicies decision={data.as_it_was} />
          <Since explanation={data} />
        </>
      )}
    </Sheet>
  );
}

function DecisionFacts({ id, explanation: { as_it_was: was } }: { id: string; explanation: Explanation }) {
  const { person, device, reservation, budgets = [] } = was;
  return (
    <Facts
      facts={[
        ['Action', <Mark key="action" of={was.action} />],
        ['Decided by', sentence(was.decided_by)],
        ['Reason', was.reason === was.decided_by ? undefined : sentence(was.reason)],
        ['Time', <Time key="time" at={was.evaluated_at} seconds />],
        ['Model', <bdi key="model" className="font-mono text-small">{`${was.provider} / ${was.model}`}</bdi>],
        [
          'User',
          person.user_id === null ? (
            (person.email ?? 'Unknown user')
          ) : (
            <PageLink key="who" to={`/users/${person.user_id}`} className="link">
              <bdi>{person.name ?? person.email ?? person.user_id}</bdi>
            </PageLink>
          ),
        ],
        ['Department at the time', person.department ?? undefined],
        ['Status at the time', person.status === null ? undefined : <Mark key="status" of={person.status} />],
        ['Device', device === null ? undefined : 'Named'],
        ['Exceeded budgets', budgets.length === 0 ? undefined : budgets.map(({ name }) => name).join(', ')],
        ['Reserved', reservation === undefined ? undefined : `$${reservation.amount_usd}`],
        ['ID', <CopyText key="id" text={id} what="decision ID" />],
      ]}
    />
  );
}

const NOW = { unchanged: 'Unchanged', changed: 'Changed', deleted: 'Deleted', unknown: 'Unknown' };

/** Shows what would be different if the request were decided now. */
function Since({ explanation: { since, as_it_was } }: { explanation: Explanation }) {
  const names = new Map(as_it_was.policies.map(({ id, name }) => [id, name]));
  const changed = since.person?.changed ?? [];
  if (since.policies.length === 0 && changed.length === 0 && since.approvals.length === 0) return null;
  return (
    <Section title="Changes since">
      <Facts
        facts={[
          ...since.policies.map(
            ({ id, status, in_force }) =>
              [names.get(id) ?? 'Policy', `${NOW[status]}, ${in_force ? 'in force' : 'not in force'}`] as const,
          ),
          ['User', changed.length === 0 ? undefined : `Changed: ${changed.map(words).join(', ')}`],
          [
            'Approval requests',
            since.approvals.length === 0 ? undefined : since.approvals.map(({ status }) => sentence(status)).join(', '),
          ],
        ]}
      />
    </Section>
  );
}
