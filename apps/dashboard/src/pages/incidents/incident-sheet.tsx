import { useParams } from '@tanstack/react-router';
import type { AnswerOf } from '../../data/call.ts';
import { capital, count, words } from '../../data/format.ts';
import { figuresOf, placeOf } from '../../data/unusual.ts';
import { useMay } from '../../data/scopes.ts';
import { useApi } from '../../data/use-api.ts';
import { CopyText } from '../../parts/copy-text.tsx';
import { Facts } from '../../parts/facts.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { Mark } from '../../parts/marks.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { PersonName } from '../../parts/person-name.tsx';
import { Section } from '../../parts/page.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { Failure, Skeleton } from '../../parts/states.tsx';
import { Time, useZone } from '../../parts/time.tsx';
import { IncidentActions } from './incident-actions.tsx';
import { Judgement } from './judgement.tsx';
import { detail, isWindow } from '../../data/subject.ts';
import { Subject } from '../../parts/subject.tsx';
import { Timeline } from './timeline.tsx';
import { IncidentTickets } from './incident-tickets.tsx';

type Incident = AnswerOf<'getIncident'>;

/** Sheet of one incident: details, timeline and actions. */
export function IncidentSheet() {
  const { id = '' } = useParams({ strict: false });
  const incident = useApi('getIncident', { id });
  const mayWrite = useMay('incidents:write');
  const mayTickets = useMay('itsm:read');
  const { data } = incident;
  return (
    <Sheet
      kind={data?.type === 'anomaly' ? 'Anomaly' : 'Policy violation'}
      over="/incidents"
      title={data ? <Subject of={data} /> : 'Incident'}
      actions={data && mayWrite && <IncidentActions key={data.id} incident={data} />}
    >
      {incident.isPending && <Skeleton lines={6} />}
      {incident.error && <Failure error={incident.error} onRetry={() => void incident.refetch()} />}
      {data && (
        <>
          <IncidentFacts incident={data} />
          {data.type === 'anomaly' && <Judgement key={data.id} incident={data} />}
          {mayTickets && <IncidentTickets incident={data} />}
          <Timeline incident={data} />
          <Section title="Details">
            <div className="pt-3">
              <JsonView value={data.details} label="Details" />
            </div>
          </Section>
        </>
      )}
    </Sheet>
  );
}

function IncidentFacts({ incident }: { incident: Incident }) {
  const { severity, status, user_id, user_email, policy_id, provider, model, occurrences, details } = incident;
  const { observed, expected_high, metric, window } = details;
  const zone = useZone();
  const shown =
    typeof metric === 'string' && typeof observed === 'number' && typeof expected_high === 'number'
      ? figuresOf({ metric, observed, expected_high })
      : undefined;
  const unit = typeof metric === 'string' && metric !== 'cost_usd' ? ` ${words(metric)}` : '';
  return (
    <Facts
      facts={[
        ['Severity', <Mark key="severity" of={severity} />],
        ['Status', <Mark key="status" of={status} />],
        ['User', user_id === null ? 'Organization' : <PersonName key="who" id={user_id} email={user_email} />],
        ['Department', detail(incident, 'department')],
        [
          'Model',
          model === null ? undefined : (
            <bdi
              key="model"
              className="font-mono text-small"
            >{`${provider === null ? '' : `${provider} / `}${model}`}</bdi>
          ),
        ],
        [
          'Policy',
          policy_id === null ? undefined : (
            <PageLink key="policy" to={`/policies/${policy_id}`} className="link">
              <bdi>{detail(incident, 'policy_name') ?? policy_id}</bdi>
            </PageLink>
          ),
        ],
        ['Rule', capital(detail(incident, 'rule_in_words') ?? '') || undefined],
        ['Time of the usage', isWindow(window) ? `${placeOf({ window, zone })} (${zone})` : undefined],
        ['Observed', shown && `${shown.observed}${unit}`],
        ['Expected maximum', shown && `${shown.bound}${unit}`],
        ['Occurrences', count(occurrences)],
        ['First seen', <Time key="first" at={incident.first_seen_at} />],
        ['Last seen', <Time key="last" at={incident.last_seen_at} />],
        ['Acknowledged by', by(incident.acknowledged_by?.name, incident.acknowledged_at)],
        ['Resolved by', by(incident.resolved_by?.name, incident.resolved_at)],
        ['Resolution', incident.resolution ?? undefined],
        ['ID', <CopyText key="id" text={incident.id} what="incident ID" />],
      ]}
    />
  );
}

function by(name: string | undefined, at: string | null) {
  if (name === undefined || at === null) return undefined;
  return (
    <>
      <bdi>{name}</bdi>, <Time at={at} />
    </>
  );
}
