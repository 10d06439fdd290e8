import { Page } from '../../parts/page.tsx';

/** Approvals. */
export function ApprovalsPage() {
  return <Page title="Approvals">Not built yet.</Page>;
}
