import { Page } from '../../parts/page.tsx';

/** Policies. */
export function PoliciesPage() {
  return <Page title="Policies">Not built yet.</Page>;
}
