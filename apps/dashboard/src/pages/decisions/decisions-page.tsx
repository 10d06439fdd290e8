import { Page } from '../../parts/page.tsx';

/** Decisions. */
export function DecisionsPage() {
  return <Page title="Decisions">Not built yet.</Page>;
}
