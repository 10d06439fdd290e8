import { Ticket as TicketIcon } from 'lucide-react';
import { useState } from 'react';
import type { AnswerOf } from '../../data/call.ts';
import { platformName } from '../../data/platform.ts';
import { useMay } from '../../data/scopes.ts';
import { useApi } from '../../data/use-api.ts';
import { Button } from '../../parts/button.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Section } from '../../parts/page.tsx';
import { changeHead, missingChange } from './ticket-change.ts';
import { CreateTicket } from './create-ticket.tsx';
import { isStuck, useFailing } from './failing.ts';
import { TicketMark } from './ticket-mark.tsx';

/** The tickets of an incident, and an action to create another one. */
export function IncidentTickets({ incident: { id, status } }: { incident: AnswerOf<'getIncident'> }) {
  const tickets = useApi('listTickets', { incident_id: id, limit: 100 });
  const mayWrite = useMay('itsm:write');
  const failing = useFailing();
  const [isCreating, setCreating] = useState(false);
  const items = tickets.data?.items ?? [];
  const isOver = items.some(({ status }) => status === 'resolved' || status === 'closed');
  return (
    <Section
      title="Tickets"
      aside={
        mayWrite && (
          <Button small icon={TicketIcon} onClick={() => setCreating(true)}>
            Create ticket…
          </Button>
        )
      }
    >
      {items.length === 0 ? (
        <p className="py-2 text-muted">{tickets.isPending ? 'Loading…' : 'No tickets.'}</p>
      ) : (
        <ul>
          {items.map(ticket => {
            const { id, kind, external_ticket_id, sync_state, status, error } = ticket;
            const change = missingChange(ticket);
            return (
              <li key={id} className="flex min-h-9 flex-wrap items-center gap-x-3 border-b border-line py-1">
                <span className="w-24 shrink-0">
                  <TicketMark state={sync_state} status={status} isStuck={isStuck(ticket, failing)} />
                </span>
                <PageLink to={`/incidents/tickets/${id}`} className="link">
                  {external_ticket_id ?? 'Not created'}
                </PageLink>
                <span className="ml-auto text-muted">{platformName(kind)}</span>
                {error !== null && <p className="w-full text-small break-words text-critical">{error}</p>}
                {change && <p className="w-full text-small">{changeHead(change.kind, change.result, null)}</p>}
              </li>
            );
          })}
        </ul>
      )}
      {isOver && status !== 'resolved' && (
        <p className="pt-2 text-small text-muted">
          The incident is {status}: a ticket that is resolved on its platform does not resolve its incident.
        </p>
      )}
      {isCreating && <CreateTicket incidentId={id} onClose={() => setCreating(false)} />}
    </Section>
  );
}
