import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { asObject, asText } from '#itsm';
import { platformAccess } from '../../../support/itsm/platform-access.js';
import { ask } from '../../../emulators/vendor-client.js';
import type { PlatformWithPeople } from './platform-with-people.js';
import { startPagerDutyWithPeople } from './pagerduty.js';

const platforms = platformAccess();
let pagerDuty: PlatformWithPeople;
beforeEach(async () => {
  pagerDuty = await startPagerDutyWithPeople(platforms.authority, () => new Date());
});
afterEach(() => pagerDuty.endpoint.close());

async function send(event_action: 'trigger' | 'resolve'): Promise<void> {
  const { endpoint, connector } = pagerDuty;
  const payload = { summary: 'ada used gpt-4o', source: 'gateway.acme.test', severity: 'critical' };
  const json = { event_action, dedup_key: 'inc-1', payload, ...connector.secrets };
  expect((await ask(platforms.egress, `${endpoint.origin}/v2/enqueue`, { json })).status).toBe(202);
}

/** The statuses in the reports of all changes since the last call. */
function reported(): (string | undefined)[] {
  const incidents = pagerDuty.reports?.().map(({ body }) => asObject(asObject(body['event'])?.['data']));
  return (incidents ?? []).map(incident => asText(incident?.['status']));
}

it('PagerDuty reports a second alert with the key of a resolved one, although both have the same status', async () => {
  await send('trigger');
  expect(reported()).toEqual(['triggered']);
  await send('trigger');
  expect(reported()).toEqual([]);
  await send('resolve');
  await send('trigger');
  expect(reported()).toEqual(['triggered']);
  await send('resolve');
  expect(reported()).toEqual(['resolved']);
});
