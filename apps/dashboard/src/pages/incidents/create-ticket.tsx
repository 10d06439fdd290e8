import { useState } from 'react';
import { platformName } from '../../data/platform.ts';
import { useAction, useApi } from '../../data/use-api.ts';
import { Ask } from '../../parts/ask.tsx';
import { SelectField } from '../../parts/field.tsx';
import { Facts } from '../../parts/facts.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Failure, Skeleton } from '../../parts/states.tsx';
import { say } from '../../parts/toasts.tsx';

/** Shows the exact request that would open a ticket, then sends it. */
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
          <Preview incidentId={incidentId} connectorId={connector_id} />
        </>
      )}
    </Ask>
  );
}

/** The ticket as it would be sent to this connector. */
function Preview({ incidentId, connectorId }: { incidentId: string; connectorId: string }) {
  const preview = useApi('createIncidentTicket', {
    id: incidentId,
    body: { connector_id: connectorId, preview: true },
  });
  if (preview.isPending) return <Skeleton lines={4} label="Loading preview" />;
  if (preview.error) return <Failure error={preview.error} onRetry={() => void preview.refetch()} />;
  if (!('description' in preview.data)) return null;
  const { title, description, labels, body } = preview.data;
  return (
    <div className="flex flex-col gap-2">
      <p className="label">Preview</p>
      <p className="font-medium break-words">
        <bdi>{title}</bdi>
      </p>
      <section
        // A scrollable box must be reachable by keyboard.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        aria-label="Description"
        dir="auto"
        className="max-h-52 overflow-y-auto border-l-2 border-line pl-3 font-mono text-small break-words whitespace-pre-wrap"
      >
        {description}
      </section>
      <Facts facts={[['Labels', labels.length === 0 ? undefined : labels.join(', ')]]} />
      <details>
        <summary className="min-h-6 cursor-pointer text-muted">Request body</summary>
        <JsonView value={body} label="Request body" />
      </details>
    </div>
  );
}
