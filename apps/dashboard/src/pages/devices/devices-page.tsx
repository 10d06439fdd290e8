import { Page } from '../../parts/page.tsx';

/** Devices. */
export function DevicesPage() {
  return <Page title="Devices">Not built yet.</Page>;
}
