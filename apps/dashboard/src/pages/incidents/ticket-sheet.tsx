import { useParams } from '@tanstack/react-router';
import { ExternalLink, RotateCw } from 'lucide-react';
import { useMay } from '../../data/scopes.ts';
import { platformName } from '../../data/platform.ts';
import { useAction, useApi } from '../../data/use-api.ts';
import { Button } from '../../parts/button.tsx';
import { CopyText } from '../../parts/copy-text.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Fault } from '../../parts/fault.tsx';
import { Mark } from '../../parts/marks.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Section } from '../../parts/page.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { Failure, Skeleton } from '../../parts/states.tsx';
import { Ago, Time } from '../../parts/time.tsx';
import { say } from '../../parts/toasts.tsx';

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
  const canRetry = mayWrite && data !== undefined && ['rejected', 'uncertain'].includes(data.sync_state);
  return (
    <Sheet
      kind="Ticket"
      over="/incidents"
      title={<bdi>{data?.title ?? 'Ticket'}</bdi>}
      actions={
        canRetry && (
          <>
            <Button kind="primary" icon={RotateCw} busy={retry.isPending} onClick={() => retry.mutate({ id: data.id })}>
              Retry
            </Button>
            <Fault error={retry.error} />
          </>
        )
      }
    >
      {ticket.isPending && <Skeleton lines={6} />}
      {ticket.error && <Failure error={ticket.error} onRetry={() => void ticket.refetch()} />}
      {data && (
        <>
          <Facts
            facts={[
              ['Creation', <Mark key="state" of={data.sync_state} />],
              ['Platform status', data.status === null ? undefined : <Mark key="status" of={data.status} />],
              ['Severity', <Mark key="severity" of={data.severity} />],
              ['Platform', platformName(data.kind)],
              [
                'Platform ticket',
                data.external_ticket_id === null ? undefined : (
                  <CopyText key="external" text={data.external_ticket_id} what="ticket ID" />
                ),
              ],
              ['Source', ORIGINS[data.origin]],
              ['Attempts', String(data.attempts)],
              [
                'Next attempt',
                data.next_attempt_at === null ? undefined : <Ago key="next" at={data.next_attempt_at} />,
              ],
              ['Updated on the platform by', data.updated_by ?? undefined],
              ['Resolution', data.resolution ?? undefined],
              ['Notes', data.notes ?? undefined],
              ['Created', <Time key="created" at={data.created_at} />],
              [
                'Incident',
                data.incident_id === null ? undefined : (
                  <PageLink key="incident" to={`/incidents/${data.incident_id}`} className="link">
                    View incident
                  </PageLink>
                ),
              ],
            ]}
          />
          {data.url !== null && (
            <p>
              <a
                href={data.url}
                target="_blank"
                rel="noreferrer noopener"
                className="link inline-flex items-center gap-1"
              >
                Open in {platformName(data.kind)}
                <ExternalLink size={12} aria-hidden />
              </a>
            </p>
          )}
          {data.error !== null && (
            <Section title="Platform error">
              <p className="pt-2 break-words">{data.error}</p>
              {data.error_fields && <Facts facts={Object.entries(data.error_fields)} />}
            </Section>
          )}
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
