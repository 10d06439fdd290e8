import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { makeAuthority, trustInThisProcess } from '../../../support/certificates.js';
import { startSite, type Site } from '../../../emulators/jira/site.js';
import { startTestApp, type TestApp } from '../../../support/test-app.js';
import { LOOPBACK_ALLOWED } from '../../../support/webhooks.js';
import { deskStage, makeDue } from '../tickets.support.js';

let app: TestApp;
let jira: Site;
let distrust: () => void;

beforeAll(async () => {
  const authority = await makeAuthority();
  distrust = trustInThisProcess(authority.caPem);
  [jira, app] = await Promise.all([
    startSite({ authority, conditions: { token: 'with scopes' } }),
    startTestApp(LOOPBACK_ALLOWED),
  ]);
});

afterAll(async () => {
  await app?.close();
  await jira?.close();
  distrust?.();
});

describe('jira: a token with scopes', () => {
  it("is sent only to the API base URL, to create and to search, and links for people have the site's URL", async () => {
    const { settings, account: secrets } = jira;
    const stage = await deskStage(app, { kind: 'jira', settings, secrets });
    jira.meets('create', 'lost answer');
    await stage.violate();
    await stage.settled('uncertain');
    jira.recovers();
    await makeDue(app, stage.orgId);
    const [ticket] = await stage.settled('created');
    expect(ticket.url).toBe(`${jira.origin}/browse/${ticket.external_ticket_id}`);
    expect(jira.requestsOf('search')).toHaveLength(1);
    expect(jira.received.filter(({ path }) => !path.startsWith('/ex/jira/'))).toEqual([]);
  });

  it('does not work at the site: the ticket is rejected because of the settings of its connector', async () => {
    const { account: secrets } = jira;
    const { api_base_url: _base, ...settings } = jira.settings;
    const { violate, settled } = await deskStage(app, { kind: 'jira', settings, secrets });
    await violate();
    expect(await settled('rejected')).toMatchObject([{ error_code: 'config' }]);
  });
});
