import { Page } from '../../parts/page.tsx';

/** Settings. */
export function SettingsPage() {
  return <Page title="Settings">Not built yet.</Page>;
}
