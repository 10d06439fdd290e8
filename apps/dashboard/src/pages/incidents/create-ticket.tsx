import { useState } from 'react';
import { platformName } from '../../data/platform.ts';
import { useAction, useApi } from '../../data/use-api.ts';
import { Ask } from '../../parts/ask.tsx';
import { SelectField } from '../../parts/field.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Failure, Skeleton } from '../../parts/states.tsx';
import { say } from '../../parts/toasts.tsx';
import { TicketPreview } from './ticket-preview.tsx';

/** Shows the exact request that would create a ticket, and then sends it. */
export function CreateTicket({ incidentId, onClose }: { incidentId: string; onClose: () => void }) {
  const connectors = useApi('listConnectors', { limit: 100 });
  const tickets = useApi('listTickets', { incident_id: incidentId, limit: 100 });
  const taken = new Set(tickets.data?.items.map(({ connector_id }) => connector_id));
  // A connector opens at most one ticket per incident.
  const active = connectors.data?.items.filter(({ id, active }) => active && !taken.has(id)) ?? [];
  const hasNone = connectors.data !== undefined && !tickets.isPending && active.length === 0;
  const hasAll = hasNone && taken.size > 0;
  const [chosen, setChosen] = useState<string>();
  const connector_id = tickets.isPending ? undefined : (chosen ?? active[0]?.id);
  const create = useAction('createIncidentTicket', ['listTickets', 'getIncident', 'listIncidentTimeline'], () => {
    say('Ticket requested', 'It appears under Tickets on this incident.');
    onClose();
  });
  return (
    <Ask
      open
      onClose={onClose}
      title="Create ticket"
      wide
      act={hasNone ? undefined : 'Create ticket'}
      disabled={connector_id === undefined}
      busy={create.isPending}
      error={create.error}
      onAct={() => connector_id !== undefined && create.mutate({ id: incidentId, body: { connector_id } })}
    >
      {(connectors.isPending || tickets.isPending) && <Skeleton lines={3} />}
      {connectors.error && <Failure error={connectors.error} />}
      {hasAll && <p>Every active connector has a ticket for this incident.</p>}
      {hasNone && !hasAll && (
        <p>
          No active connector.{' '}
          <PageLink to="/integrations" className="link">
            Connect a platform
          </PageLink>{' '}
          first.
        </p>
      )}
      {connector_id !== undefined && (
        <>
          <SelectField
            label="Connector"
            value={connector_id}
            onChange={event => setChosen(event.target.value)}
            options={active.map(({ id, name, kind }) => [id, `${name} (${platformName(kind)})`] as const)}
          />
          <div className="flex flex-col gap-2">
            <p className="label">Preview</p>
            <TicketPreview incidentId={incidentId} connectorId={connector_id} />
          </div>
        </>
      )}
    </Ask>
  );
}
