import { Page } from '../../parts/page.tsx';

/** Integrations. */
export function IntegrationsPage() {
  return <Page title="Integrations">Not built yet.</Page>;
}
