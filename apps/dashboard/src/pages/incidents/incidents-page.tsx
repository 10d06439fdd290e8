import { Page } from '../../parts/page.tsx';

/** Incidents. */
export function IncidentsPage() {
  return <Page title="Incidents">Not built yet.</Page>;
}
