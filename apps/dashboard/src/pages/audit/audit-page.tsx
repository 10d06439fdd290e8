import { Page } from '../../parts/page.tsx';

/** Audit. */
export function AuditPage() {
  return <Page title="Audit">Not built yet.</Page>;
}
