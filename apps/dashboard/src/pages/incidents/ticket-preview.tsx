import { useApi } from '../../data/use-api.ts';
import { Facts } from '../../parts/facts.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { Failure, Skeleton } from '../../parts/states.tsx';

/** The request that would create the ticket of an incident through a connector: title, description, labels and body. */
export function TicketPreview({ incidentId, connectorId }: { incidentId: string; connectorId: string }) {
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
      <p className="font-medium break-words">
        <bdi>{title}</bdi>
      </p>
      <section
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrollable box must be reachable by keyboard
        tabIndex={0}
        aria-label="Description"
        dir="auto"
        className="max-h-52 overflow-y-auto rounded border border-line bg-sunken p-3 font-mono text-small break-words whitespace-pre-wrap"
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
