import { startInstance, type Instance } from '../../test/emulators/servicenow/instance.js';
import { startSite, type Site } from '../../test/emulators/jira/site.js';
import type { Authority } from '../../test/support/certificates.js';
import { answer, slow } from '../../test/support/endpoint-behaviours.js';
import { startEndpoint, type Endpoint } from '../../test/support/https-endpoint.js';

/** The platforms to which the organization's webhooks and connectors send. All of them listen only on this machine. */
export interface Platforms {
  readonly endpoints: Record<'siem' | 'chargeback' | 'lake' | 'relay', Endpoint>;
  readonly jira: Site;
  readonly serviceNow: Instance;
  close(): Promise<void>;
}

/** Minutes after the start during which the endpoint of the chargeback webhook fails. */
const BROKEN_MINUTES = 40;
const SLOW_MS = 4_000;

export async function startPlatforms(authority: Authority): Promise<Platforms> {
  const ends = Date.now() + BROKEN_MINUTES * 60_000;
  const failing = answer(500, '{"error":"ledger is read-only"}', { 'content-type': 'application/json' });
  const endpoint = (behaviour: Parameters<typeof startEndpoint>[0]['behaviour']): Promise<Endpoint> =>
    startEndpoint({ authority, keep: false, ...(behaviour === undefined ? {} : { behaviour }) });
  const [siem, chargeback, lake, relay] = await Promise.all([
    endpoint('ok'),
    endpoint(() => (Date.now() < ends ? failing : 'ok')),
    endpoint(slow(SLOW_MS)),
    endpoint('ok'),
  ]);
  const jira = await startSite({ authority, isStrict: false });
  // The platform's password differs from the connector's, so that the demo shows a failing connector.
  const serviceNow = await startInstance({
    authority,
    account: { username: 'svc-governance', password: 'changed-last-night' },
    isStrict: false,
  });
  serviceNow.addGroup('AI Governance');
  return {
    endpoints: { siem, chargeback, lake, relay },
    jira,
    serviceNow,
    close: async () => {
      // Ignores complaints of the emulators, which matter only in tests.
      const ends = [siem, chargeback, lake, relay, serviceNow, jira].map(each => each.close());
      await Promise.allSettled(ends);
    },
  };
}
