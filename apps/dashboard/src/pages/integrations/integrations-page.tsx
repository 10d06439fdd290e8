import { useMay } from '../../data/scopes.ts';
import { Page } from '../../parts/page.tsx';
import { Chat } from './chat.tsx';
import { Connectors } from './connectors.tsx';
import { Inbound } from './inbound.tsx';
import { Providers } from './providers.tsx';
import { RouteDryRun } from './route-dry-run.tsx';

/** Page of connected systems: ticket platforms, chats and model providers. */
export function IntegrationsPage() {
  const mayRead = useMay('itsm:read');
  const mayReadGateway = useMay('gateway:read');
  return (
    <Page title="Integrations" lead="Ticket platforms, chat workspaces and the LLM providers behind the gateway.">
      {mayRead && (
        <>
          <Connectors />
          <RouteDryRun />
          <Inbound />
        </>
      )}
      {mayReadGateway && <Providers />}
      {mayRead && <Chat />}
    </Page>
  );
}
