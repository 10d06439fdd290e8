import { Page } from '../../parts/page.tsx';
import { Segments } from '../../parts/segments.tsx';
import { useFilters } from '../../parts/use-filters.ts';
import { useMay } from '../../data/scopes.ts';
import { AnomalyList } from './anomaly-list.tsx';
import { IncidentList } from './incident-list.tsx';
import { TicketList } from './ticket-list.tsx';

/** Page of incidents, of the anomalies that they count, and of their tickets. */
export function IncidentsPage() {
  const [{ tab }, setFilters] = useFilters<'tab' | 'status' | 'sort'>();
  const mayAnomalies = useMay('anomalies:read');
  const mayTickets = useMay('itsm:read');
  const lists = [
    { id: 'incidents', name: 'Incidents', may: true, Shown: IncidentList },
    { id: 'anomalies', name: 'Anomalies', may: mayAnomalies, Shown: AnomalyList },
    { id: 'tickets', name: 'Tickets', may: mayTickets, Shown: TicketList },
  ].filter(({ may }) => may);
  const { id: shown, Shown } = lists.find(({ id }) => id === tab) ?? { id: 'incidents', Shown: IncidentList };
  return (
    <Page
      title="Incidents"
      lead="Policy violations and usage anomalies, with their tickets."
      actions={
        lists.length > 1 && (
          <Segments
            label="List"
            value={shown}
            options={lists.map(({ id, name }) => [id, name] as const)}
            onChange={value =>
              setFilters({ tab: value === 'incidents' ? undefined : value, status: undefined, sort: undefined })
            }
          />
        )
      }
    >
      <Shown />
    </Page>
  );
}
