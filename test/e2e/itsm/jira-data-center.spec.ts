import { describe, expect, it } from '@jest/globals';
import { startDataCenter, type DataCenter } from '../../emulators/jira-data-center/instance.js';
import type { Issue } from '../../emulators/jira/issues.js';
import { transit } from '../../emulators/jira/life.js';
import type { TestApp } from '../../support/test-app.js';
import { lifeStage, usePlatform, type LifeStage } from './life.support.js';
import { finish } from './tickets.support.js';

const SECRET = 'a-secret-of-webhooks-0123456789';
const HOUR_MS = 3_600_000;

let app: TestApp;
let jira: DataCenter;

usePlatform(startDataCenter, test => {
  ({ app, platform: jira } = test);
});

async function connected(secrets: object = { webhook_secret: SECRET }): Promise<LifeStage> {
  return lifeStage(app, {
    kind: 'jira_data_center',
    settings: { instance_url: jira.base, project_key: 'SEC', issue_type: 'Bug' },
    secrets: { personal_access_token: jira.account.token, ...secrets },
  });
}

async function opened(secrets?: object): Promise<LifeStage & { issue: Issue }> {
  const stage = await connected(secrets);
  await stage.violate();
  await stage.settled('created');
  const [issue] = jira.issues.all;
  if (!issue) throw new Error('There is no issue.');
  return { ...stage, issue };
}

const comments = ({ id }: Issue): string[] => (jira.comments.get(id) ?? []).map(({ body }) => JSON.stringify(body));

describe('an incident with a ticket in Jira Data Center', () => {
  it('has one issue, with its severity and its address, and the connector test can read it', async () => {
    const stage = await opened();
    expect(jira.issues.all).toMatchObject([
      { fields: { summary: expect.stringContaining('policy_violation') }, priority: { name: 'High' } },
    ]);
    expect(await stage.ticket()).toMatchObject({
      ...{ external_ticket_id: 'SEC-1', degraded: [], url: `${jira.base}/browse/SEC-1` },
    });
    const tested = await stage.call('POST', `/v1/itsm/connectors/${stage.connector.id}/test`);
    expect(tested.body).toMatchObject({ passed: true });
    expect(tested.body.checks.length).toBeGreaterThanOrEqual(7);
  });

  it.each(['answer lost', 'broken JSON', '500'] as const)('has one issue after “%s”', async name => {
    const stage = await connected();
    const fault = jira.fault(name, ({ method, url }) => method === 'POST' && url.pathname.endsWith('/issue'));
    await stage.violate();
    await stage.settled('uncertain');
    fault.end();
    await finish(app, stage.orgId);
    const [ticket] = await stage.settled('created');
    expect(jira.issues.all).toHaveLength(1);
    expect(ticket).toMatchObject({ external_ticket_id: 'SEC-1', error: null });
  });

  it('updates it once each when it occurs again, is raised, resolved and reopened', async () => {
    const { violate, pass, worsen, resolve, ticket, issue } = await opened();
    await violate();
    await pass(31_000);
    expect(comments(issue)).toEqual([expect.stringContaining('Seen 2 times')]);
    await worsen();
    expect(issue.priority?.name).toBe('Highest');
    await pass(HOUR_MS);
    await resolve();
    expect(issue.status.category).toBe('done');
    expect(comments(issue).at(-1)).toContain('Talked');
    expect(await ticket()).toMatchObject({ status: 'resolved', change_error: null });
    await violate();
    await pass(HOUR_MS);
    expect(issue.status.category).toBe('new');
    expect(jira.issues.all).toHaveLength(1);
    expect(await ticket()).toMatchObject({ external_ticket_id: 'SEC-1', status: 'open' });
    expect(new Set(comments(issue)).size).toBe(comments(issue).length);
  });

  it("follows people's changes by signed webhooks", async () => {
    const { report, ticket, violate, pass, issue } = await opened();
    transit(issue, { name: 'Done', category: 'done' }, "Won't Do", new Date());
    const unsigned = jira.webhookOf(issue);
    expect(await report(unsigned.body, unsigned.headers)).toBe(401);
    const foreign = jira.webhookOf(issue, 'w-1', 'of-somebody-else-16');
    expect(await report(foreign.body, foreign.headers)).toBe(401);
    const { body, headers } = jira.webhookOf(issue, 'w-2', SECRET);
    expect([await report(body, headers), await report(body, headers)]).toEqual([200, 200]);
    expect(await ticket()).toMatchObject({ status: 'closed', resolution: "Won't Do", updated_by: 'AI Governance' });
    await violate();
    await pass(HOUR_MS);
    expect(comments(issue)).toEqual([]);
  });

  it("accepts webhooks with Basic authentication, and they are not treated as Jira Cloud's", async () => {
    const { call, report, ticket, issue } = await opened({ report_secret: SECRET });
    const cloud = { instance_url: 'https://127.0.0.1:9', project_key: 'SEC', issue_type: 'Task' };
    const made = await call('POST', '/v1/itsm/connectors', {
      ...{ kind: 'jira', name: 'Cloud', active: false, settings: cloud },
      secrets: { email: 'tickets@example.com', api_token: 'a-token-of-this-test' },
    });
    expect(made.status).toBe(201);
    transit(issue, { name: 'Start', category: 'indeterminate' }, null, new Date());
    const { body, headers } = jira.webhookOf(issue);
    const authorization = `Basic ${Buffer.from(`jira:${SECRET}`).toString('base64')}`;
    expect([await report(body, headers), await report(body, { ...headers, authorization })]).toEqual([401, 200]);
    expect(await ticket()).toMatchObject({ status: 'in_progress' });
  });
});
