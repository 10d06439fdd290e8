import { Page } from '../../parts/page.tsx';

/** Usage. */
export function UsagePage() {
  return <Page title="Usage">Not built yet.</Page>;
}
