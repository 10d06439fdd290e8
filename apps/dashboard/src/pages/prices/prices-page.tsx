import { Page } from '../../parts/page.tsx';

/** Prices. */
export function PricesPage() {
  return <Page title="Prices">Not built yet.</Page>;
}
