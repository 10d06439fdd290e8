import { Page } from '../../parts/page.tsx';

/** Webhooks. */
export function WebhooksPage() {
  return <Page title="Webhooks">Not built yet.</Page>;
}
