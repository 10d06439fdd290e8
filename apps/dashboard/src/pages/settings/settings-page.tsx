import { SIGN_IN } from '../../data/address.ts';
import { useMay } from '../../data/scopes.ts';
import { Page } from '../../parts/page.tsx';
import { AnomalySettings } from './anomaly-settings.tsx';
import { Organization } from './organization.tsx';
import { Sessions } from './sessions.tsx';
import { Tokens } from './tokens.tsx';

/** The organization, its tokens and sessions, and anomaly detection. */
export function SettingsPage() {
  const mayReadOrganization = useMay('organization:read');
  const mayReadTokens = useMay('tokens:read');
  const mayReadAnomalies = useMay('anomalies:read');
  return (
    <Page title="Settings" lead="Organization, access and anomaly detection.">
      {mayReadOrganization && <Organization />}
      {mayReadTokens && <Tokens />}
      {!SIGN_IN.host && <Sessions />}
      {mayReadAnomalies && <AnomalySettings />}
    </Page>
  );
}
