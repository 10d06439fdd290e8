import { useParams } from '@tanstack/react-router';
import { ExternalLink, RotateCw } from 'lucide-react';
import type { AnswerOf } from '../../data/call.ts';
import { count } from '../../data/format.ts';
import { useMay } from '../../data/scopes.ts';
import { platformName } from '../../data/platform.ts';
import { useAction, useApi } from '../../data/use-api.ts';
import { Alarm } from '../../parts/alarm.tsx';
import { Button, buttonClass } from '../../parts/button.tsx';
import { CopyText } from '../../parts/copy-text.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Fault } from '../../parts/fault.tsx';
import { Mark } from '../../parts/marks.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { PersonName } from '../../parts/person-name.tsx';
import { Section } from '../../parts/page.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { Failure, Skeleton } from '../../parts/states.tsx';
import { Ago, Time } from '../../parts/time.tsx';
import { say } from '../../parts/toasts.tsx';
import { Subject } from '../../parts/subject.tsx';
import { changeHead, changeRemedy, missingChange } from './ticket-change.ts';

type Ticket = AnswerOf<'getTicket'>;

const ORIGINS = {
  automatic: 'Automatic',
  manual: 'Manual',
  chat: 'From chat',
  test: 'Connector test',
};

/** Sheet of one ticket: its status, the platform's answers, and an action to retry it. */
export function TicketSheet() {
  const { ticketId = '' } = useParams({ strict: false });
  const ticket = useApi('getTicket', { id: ticketId });
  const mayWrite = useMay('itsm:write');
  const retry = useAction('retryTicket', ['getTicket', 'listTickets'], () => say('Retry scheduled'));
  const { data } = ticket;
  const platformUrl = data?.url ?? null;
  const canRetry = mayWrite && data !== undefined && ['rejected', 'uncertain'].includes(data.sync_state);
  return (
    <Sheet
      kind="Ticket"
      over="/incidents"
      title={<bdi>{data?.title ?? 'Ticket'}</bdi>}
      actions={
        (canRetry || platformUrl !== null) && (
          <>
            {canRetry && (
              <Button
                kind="primary"
                icon={RotateCw}
                busy={retry.isPending}
                onClick={() => retry.mutate({ id: data.id })}
              >
                Retry
              </Button>
            )}
            {data && platformUrl !== null && (
              <a
                href={platformUrl}
                target="_blank"
                rel="noreferrer noopener"
                className={buttonClass(canRetry ? 'plain' : 'primary')}
              >
                Open in {platformName(data.kind)}
                <ExternalLink size={14} aria-hidden />
              </a>
            )}
            <Fault error={retry.error} />
          </>
        )
      }
    >
      {ticket.isPending && <Skeleton lines={6} />}
      {ticket.error && <Failure error={ticket.error} onRetry={() => void ticket.refetch()} />}
      {data && (
        <>
          <TicketFacts ticket={data} />
          {data.error !== null && (
            <Section title="Platform error">
              <p className="pt-2 break-words">{data.error}</p>
              {data.error_fields && <Facts facts={Object.entries(data.error_fields)} />}
            </Section>
          )}
          <LastChange ticket={data} />
          {data.incident_id !== null && <OfIncident incidentId={data.incident_id} />}
          {data.degraded.length > 0 && (
            <Section title="Omitted: rejected by the platform">
              <p className="pt-2">{data.degraded.join(', ')}</p>
            </Section>
          )}
        </>
      )}
    </Sheet>
  );
}

function TicketFacts({ ticket }: { ticket: Ticket }) {
  // The connector may have been deleted. It is searched in the list, because a request for it could fail.
  const connectors = useApi('listConnectors', { limit: 100 });
  const connector = connectors.data?.items.find(({ id }) => id === ticket.connector_id);
  const { sync_state, status, severity, kind, external_ticket_id, origin, attempts, next_attempt_at } = ticket;
  const problem = sync_state === 'pending' ? (connector?.problem ?? null) : null;
  return (
    <>
      {problem && (
        <Alarm
          title={
            <>
              Waits for its connector, which has failed since <Time at={problem.since} />.
            </>
          }
        >
          <p className="break-words">
            <bdi>{problem.message}</bdi>
          </p>
        </Alarm>
      )}
      <Facts
        facts={[
          [`Status in ${platformName(kind)}`, status === null ? undefined : <Mark key="status" of={status} />],
          ['Updated there by', ticket.updated_by ?? undefined],
          ['Resolution', ticket.resolution ?? undefined],
          ['Notes', ticket.notes ?? undefined],
          [
            'Creation',
            problem ? <Mark key="state" of="failed" word="Waiting" /> : <Mark key="state" of={sync_state} />,
          ],
          ['Severity', <Mark key="severity" of={severity} />],
          ['Platform', platformName(kind)],
          [
            'Connector',
            connector && (
              <PageLink key="connector" to={`/integrations/${connector.id}`} className="link">
                <bdi>{connector.name}</bdi>
              </PageLink>
            ),
          ],
          [
            'Ticket',
            external_ticket_id === null ? undefined : (
              <CopyText key="external" text={external_ticket_id} what="ticket ID" />
            ),
          ],
          ['Source', ORIGINS[origin]],
          ['Attempts', String(attempts)],
          [
            'Next attempt',
            next_attempt_at === null ? (
              sync_state === 'pending' && connector?.active === false ? (
                'When the connector is active'
              ) : undefined
            ) : (
              <Ago key="next" at={next_attempt_at} />
            ),
          ],
          ['Created', <Time key="created" at={ticket.created_at} />],
          ['Last change', <Time key="updated" at={ticket.updated_at} />],
        ]}
      />
    </>
  );
}

/** Explains why the last change of the ticket was not made: the attempt, the answer, and the next step. */
function LastChange({ ticket }: { ticket: Ticket }) {
  const { kind, change_error, change_at, next_change_at } = ticket;
  const change = missingChange(ticket);
  if (!change) return null;
  return (
    <Section title={changeHead(change.kind, change.result, change_error)}>
      <p className="pt-2 break-words">
        <bdi>{change_error}</bdi>
      </p>
      <Facts
        facts={[
          ['Tried', change_at === null ? undefined : <Time key="tried" at={change_at} />],
          ['Next attempt', next_change_at === null ? null : <Ago key="next" at={next_change_at} />],
        ]}
      />
      <p className="pt-2 text-muted">{changeRemedy(change.kind, change.result, platformName(kind))}</p>
    </Section>
  );
}

/** What the ticket is about. */
function OfIncident({ incidentId }: { incidentId: string }) {
  const mayRead = useMay('incidents:read');
  const { data } = useApi('getIncident', { id: incidentId }, { enabled: mayRead });
  if (!data) return null;
  return (
    <Section title="Incident">
      <Facts
        facts={[
          [
            'Subject',
            <PageLink key="incident" to={`/incidents/${incidentId}`} className="link">
              <Subject of={data} />
            </PageLink>,
          ],
          ['Status', <Mark key="status" of={data.status} />],
          [
            'User',
            data.user_id === null ? 'Organization' : <PersonName key="who" id={data.user_id} email={data.user_email} />,
          ],
          [
            'Model',
            data.model === null ? undefined : (
              <bdi key="model" className="font-mono text-small">
                {data.model}
              </bdi>
            ),
          ],
          ['Occurrences', count(data.occurrences)],
          ['Last seen', <Time key="last" at={data.last_seen_at} />],
        ]}
      />
    </Section>
  );
}
