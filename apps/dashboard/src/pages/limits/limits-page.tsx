import { Page } from '../../parts/page.tsx';

/** Limits. */
export function LimitsPage() {
  return <Page title="Limits">Not built yet.</Page>;
}
