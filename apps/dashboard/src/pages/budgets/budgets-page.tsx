import { Page } from '../../parts/page.tsx';

/** Budgets. */
export function BudgetsPage() {
  return <Page title="Budgets">Not built yet.</Page>;
}
