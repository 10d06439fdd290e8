import { Plus } from 'lucide-react';
import { useMay } from '../../data/scopes.ts';
import { buttonClass } from '../../parts/button.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Page } from '../../parts/page.tsx';
import { Chat } from './chat.tsx';
import { Connectors } from './connectors.tsx';
import { Inbound } from './inbound.tsx';
import { Providers } from './providers.tsx';
import { RouteDryRun } from './route-dry-run.tsx';

/** Page of connected systems: ticket platforms, chats and model providers. */
export function IntegrationsPage() {
  const mayRead = useMay('itsm:read');
  const mayWrite = useMay('itsm:write');
  const mayReadGateway = useMay('gateway:read');
  return (
    <Page
      title="Integrations"
      lead="Ticket platforms, chat workspaces and the LLM providers behind the gateway."
      actions={
        mayWrite && (
          <PageLink to="/integrations/new" keep className={buttonClass('primary')}>
            <Plus size={14} aria-hidden />
            Connect platform
          </PageLink>
        )
      }
    >
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
