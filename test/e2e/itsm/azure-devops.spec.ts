import { describe, expect, it } from '@jest/globals';
import type { WorkItem } from '../../emulators/azure-devops/items.js';
import { startOrganization, type Organization } from '../../emulators/azure-devops/organization.js';
import type { TestApp } from '../../support/test-app.js';
import { lifeStage, usePlatform, type LifeStage } from './life.support.js';
import { finish } from './tickets.support.js';

const SECRET = 'a-secret-of-reports-0123456789';
const HOUR_MS = 3_600_000;
const PRIORITY = 'Microsoft.VSTS.Common.Priority';

let app: TestApp;
let azure: Organization;

usePlatform(startOrganization, test => {
  ({ app, platform: azure } = test);
});

async function connected(): Promise<LifeStage> {
  return lifeStage(app, {
    kind: 'azure_devops',
    settings: { organization_url: azure.base, project: 'AI Governance', work_item_type: 'Bug' },
    secrets: { personal_access_token: azure.token, report_secret: SECRET },
  });
}

async function opened(): Promise<LifeStage & { item: WorkItem }> {
  const stage = await connected();
  await stage.violate();
  await stage.settled('created');
  const [item] = azure.items.all;
  if (!item) throw new Error('There is no work item.');
  return { ...stage, item };
}

/** Changes by people. */
function set(item: WorkItem, fields: Record<string, string>): void {
  azure.items.revise(item, { ...item.fields, ...fields });
}

function basic(password: string): { authorization: string } {
  return { authorization: `Basic ${Buffer.from(`azure:${password}`).toString('base64')}` };
}

describe('an incident with a ticket in Azure DevOps', () => {
  it('has one work item, with its severity and its address, and the connector test can read it', async () => {
    const stage = await opened();
    expect(azure.items.all).toMatchObject([
      {
        type: 'Bug',
        fields: { 'System.Title': expect.stringContaining('policy_violation'), [PRIORITY]: 2 },
      },
    ]);
    expect(await stage.ticket()).toMatchObject({
      ...{ external_ticket_id: '297', degraded: [] },
      url: `${azure.base}/AI%20Governance/_workitems/edit/297`,
    });
    const tested = await stage.call('POST', `/v1/itsm/connectors/${stage.connector.id}/test`);
    expect(tested.body).toMatchObject({ passed: true });
    expect(tested.body.checks.map(({ status }: { status: string }) => status)).toEqual(Array(5).fill('passed'));
  });

  it('shows in its preview the list of operations to be sent', async () => {
    const stage = await opened();
    const [{ id }] = (await stage.incidents()) as [{ id: string }];
    const asked = { preview: true, connector_id: stage.connector.id, title_template: '{{ title }}' };
    const { status, body } = await stage.call('POST', `/v1/incidents/${id}/tickets`, asked);
    expect([status, body.message]).toEqual([200, undefined]);
    expect(body.body).toContainEqual({ op: 'add', path: `/fields/${PRIORITY}`, value: 2 });
  });

  it.each(['answer lost', 'broken JSON', '500'] as const)('has one work item after “%s”', async name => {
    const stage = await connected();
    const fault = azure.fault(name, ({ method, url }) => method === 'POST' && !url.pathname.endsWith('/wiql'));
    await stage.violate();
    await stage.settled('uncertain');
    fault.end();
    await finish(app, stage.orgId);
    const [ticket] = await stage.settled('created');
    expect(azure.items.all).toHaveLength(1);
    expect(ticket).toMatchObject({ external_ticket_id: '297', error: null });
  });

  it('updates its work item once each when it occurs again, is raised, resolved and reopened', async () => {
    const { violate, pass, worsen, resolve, ticket, item } = await opened();
    await violate();
    await pass(31_000);
    expect(item.comments).toMatchObject([{ text: expect.stringContaining('Seen 2 times') }]);
    await worsen();
    expect(item.fields[PRIORITY]).toBe(1);
    await pass(HOUR_MS);
    await resolve();
    expect(item.fields['System.State']).toBe('Resolved');
    expect(item.comments.at(-1)?.text).toContain('Talked');
    expect(await ticket()).toMatchObject({ status: 'resolved', change_error: null });
    await violate();
    await pass(HOUR_MS);
    expect(item.fields['System.State']).toBe('Active');
    expect(azure.items.all).toHaveLength(1);
    expect(await ticket()).toMatchObject({ external_ticket_id: '297', status: 'open' });
    expect(new Set(item.comments.map(({ text }) => text)).size).toBe(item.comments.length);
  });

  it("takes people's changes from a service hook that sends the secret as password", async () => {
    const { report, ticket, violate, pass, item } = await opened();
    set(item, { 'System.State': 'Closed', 'System.Reason': "Won't Fix", 'System.ChangedBy': 'Mia <mia@example.com>' });
    const body = JSON.stringify(azure.items.serviceHookOf(item, {}));
    expect([await report(body, {}), await report(body, basic('of somebody else'))]).toEqual([401, 401]);
    expect(await ticket()).toMatchObject({ status: 'open' });
    expect([await report(body, basic(SECRET)), await report(body, basic(SECRET))]).toEqual([200, 200]);
    expect(await ticket()).toMatchObject({ status: 'closed', resolution: "Won't Fix", updated_by: 'mia@example.com' });
    await violate();
    await pass(HOUR_MS);
    expect(item).toMatchObject({ comments: [], fields: { 'System.State': 'Closed' } });
  });

  it('has an error with the required field, and its work item is created once the connector fills the field', async () => {
    azure.conditions.required = { 'Custom.Environment': 'Environment' };
    const stage = await connected();
    await stage.violate();
    const [refused] = await stage.settled('rejected');
    expect(refused).toMatchObject({ error_code: 'field', error_fields: { 'Custom.Environment': expect.any(String) } });
    const settings = { organization_url: azure.base, project: 'AI Governance', work_item_type: 'Bug' };
    const mended = { settings: { ...settings, fields: { 'Custom.Environment': 'production' } } };
    expect((await stage.call('PATCH', `/v1/itsm/connectors/${stage.connector.id}`, mended)).status).toBe(200);
    await stage.settled('created');
    expect(azure.items.all).toMatchObject([{ fields: { 'Custom.Environment': 'production' } }]);
  });
});
