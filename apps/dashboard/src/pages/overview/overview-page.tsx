import { Page } from '../../parts/page.tsx';

/** Overview. */
export function OverviewPage() {
  return <Page title="Overview">Not built yet.</Page>;
}
