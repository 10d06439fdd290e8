import { Page } from '../../parts/page.tsx';
import { Segments } from '../../parts/segments.tsx';
import { useFilters } from '../../parts/use-filters.ts';
import { useMay } from '../../data/scopes.ts';
import { IncidentList } from './incident-list.tsx';
import { TicketList } from './ticket-list.tsx';

/** Page of incidents and their tickets. */
export function IncidentsPage() {
  const [{ tab }, setFilters] = useFilters<'tab' | 'status'>();
  const mayTickets = useMay('itsm:read');
  const isTickets = tab === 'tickets' && mayTickets;
  return (
    <Page
      title="Incidents"
      lead="Policy violations and usage anomalies, with their tickets."
      actions={
        mayTickets && (
          <Segments
            label="List"
            value={isTickets ? 'tickets' : 'incidents'}
            options={[
              ['incidents', 'Incidents'],
              ['tickets', 'Tickets'],
            ]}
            onChange={value => setFilters({ tab: value === 'tickets' ? value : undefined, status: undefined })}
          />
        )
      }
    >
      {isTickets ? <TicketList /> : <IncidentList />}
    </Page>
  );
}
