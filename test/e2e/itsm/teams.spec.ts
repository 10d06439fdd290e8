import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { asObject } from '#itsm';
import { startTeamsWorkflow, TEAMS_HOST, type TeamsWorkflow } from '../../emulators/teams/workflow.js';
import { platformAccess } from '../../support/itsm/platform-access.js';
import { reroute } from '../../support/itsm/rerouted.js';
import { startTestApp, type Answer, type TestApp } from '../../support/test-app.js';
import { until } from '../../support/webhooks.js';
import { stageOn, type Stage } from '../incidents.support.js';

const platforms = platformAccess();
let app: TestApp;
let stage: Stage;
let workflow: TeamsWorkflow;
let workspaceId: string;

beforeAll(async () => {
  app = await startTestApp({
    itsm: { publicUrl: 'https://governance.example.com' },
    dashboard: { sessions: true },
    ...{ egress: { allow: ['chat=127.0.0.0/8'] }, outbox: { pollIntervalMs: 100 } },
  });
  reroute(app, { [TEAMS_HOST]: () => workflow.origin });
});

beforeEach(async () => {
  stage = await stageOn(app, { name: 'Large *models* <at>all</at>', severity: 'high' });
  workflow = await startTeamsWorkflow({ authority: platforms.authority });
  const notifications = { incidents: { min_severity: 'high' }, approvals: {} };
  const { status, body } = await register({ notification_secret: workflow.webhookUrl, notifications });
  if (status !== 201) throw new Error(`expected 201, got ${status}`);
  workspaceId = body.id;
});

afterEach(() => workflow.close());

afterAll(async () => {
  jest.restoreAllMocks();
  await app.close();
});

const register = (fields: object): Promise<Answer> =>
  stage.call('POST', '/v1/chat/workspaces', { platform: 'teams', workspace: 'Security channel', ...fields });

const problem = async (): Promise<{ message: string } | null> =>
  (await stage.call('GET', '/v1/chat/workspaces')).body.items[0].problem;

const makeDue = (): Promise<unknown> =>
  app.database.asOwner(
    `update governance.tasks set due_at = now() where org_id = $1 and queue = 'chat-notices' and lease_token is null`,
    [stage.orgId],
  );

const isSettled = async (): Promise<boolean> =>
  (
    await app.database.asOwner(`select 1 from governance.tasks where org_id = $1 and queue = 'chat-notices'`, [
      stage.orgId,
    ])
  ).length === 0;

describe('a notification in Microsoft Teams', () => {
  it('is a card that its workflow posts, with a link and without buttons that would need a bot', async () => {
    await stage.violate();
    const { id } = (await stage.incidents())[0];
    await until(async () => workflow.runs.length === 1);
    expect(workflow.runs[0]).toMatchObject({ status: 'Succeeded', error: null });
    const [shown] = (await stage.call('GET', '/v1/chat/workspaces')).body.items;
    expect(shown).toMatchObject({ platform: 'teams', secret_names: ['notification_secret'], problem: null });
    const card = workflow.runs[0]?.card ?? {};
    expect(card['actions']).toEqual([
      { type: 'Action.OpenUrl', title: 'Open', url: `https://governance.example.com/incidents/${id}` },
    ]);
    const texts = JSON.stringify(card['body']);
    for (const text of ['Severity', 'high', 'openai/gpt']) expect(texts).toContain(text);
    // Markup in names of users and policies is escaped.
    expect(texts).toContain(String.raw`Large \\*models\\* &lt;at&gt;all`);
    expect(asObject(workflow.received[0]?.json)).toMatchObject({ type: 'message' });
  });

  it('is sent once, also if the incident is acknowledged: a posted card cannot be changed', async () => {
    await stage.violate();
    await until(async () => workflow.runs.length === 1 && isSettled());
    const { id } = (await stage.incidents())[0];
    await stage.call('PATCH', `/v1/incidents/${id}`, { status: 'acknowledged' });
    expect([workflow.runs.length, await isSettled()]).toEqual([1, true]);
  });

  it('announces approval requests, too', async () => {
    await stage.call('PUT', `/v1/policies/${stage.policyId}`, { enabled: false });
    await stage.call('POST', '/v1/policies', { name: 'Ask first', action: 'require_approval', model: 'ask-first' });
    const asked = { user_id: stage.userId, provider: 'openai', model: 'ask-first' };
    const { approval_id: id } = (await stage.call('POST', '/v1/decisions', asked)).body;
    const url = `https://governance.example.com/approvals/${id}`;
    await until(async () => workflow.runs.some(({ card }) => JSON.stringify(card).includes(url)));
  });

  it.each([
    ['disabled', '400 WorkflowTriggerIsNotEnabled; the workflow is switched off'],
    ['deleted', '404 WorkflowNotFound; the workflow was deleted'],
    ['retired', '410 Gone; this URL was given up by Microsoft'],
  ] as const)('shows the operator the remedy for a workflow that is %s, and waits', async (state, message) => {
    workflow.conditions.state = state;
    await stage.violate();
    const found = await until(async () => (await problem()) ?? undefined);
    expect(found.message).toContain(message);
    expect(found.message).not.toContain('sig=');
    workflow.conditions.state = 'on';
    await stage.call('PATCH', `/v1/chat/workspaces/${workspaceId}`, { notification_secret: workflow.webhookUrl });
    await until(async () => workflow.runs.length === 1);
    await until(async () => (await problem()) === null);
  });

  it('waits for as long as Teams says, and is sent once', async () => {
    const fault = workflow.fault('429');
    await stage.violate();
    await until(async () => workflow.received.length > 0);
    fault.end();
    await until(async () => makeDue().then(isSettled));
    expect(workflow.runs).toHaveLength(1);
  });

  it('is sent again after a lost answer, because Teams does not return its posts', async () => {
    let requests = 0;
    const fault = workflow.fault('answer lost', () => (requests += 1) === 1);
    await stage.violate();
    await until(async () => makeDue().then(isSettled));
    fault.end();
    expect(workflow.runs).toHaveLength(2);
  });

  it('is sent only to the full URL of a workflow, which is never shown', async () => {
    const fault = async (fields: object): Promise<string> => {
      const { status, body, text } = await register({ workspace: 'Another', ...fields });
      expect([status, text.includes('sig=abc')]).toEqual([400, false]);
      return `${body.details[0].field} ${body.details[0].message}`;
    };
    const url = workflow.webhookUrl;
    expect(await fault({})).toContain('notification_secret is required for Microsoft Teams');
    expect(
      await fault({ notification_secret: 'https://acme.webhook.office.com/webhookb2/x/IncomingWebhook/y' }),
    ).toContain('Office connector');
    expect(await fault({ notification_secret: 'https://example.com/?sig=abc-abc-abc' })).toContain('the whole URL');
    expect(await fault({ notification_secret: url, signing_secret: 'x'.repeat(32) })).toContain('signing_secret');
    const incidents = { channel: 'C024BE91L' };
    expect(await fault({ notification_secret: url, notifications: { incidents } })).toContain('incidents.channel');
    const shown = await stage.call('GET', '/v1/chat/workspaces');
    const audit = await app.database.asOwner('select * from governance.audit_log where org_id = $1', [stage.orgId]);
    const signature = new URL(url).searchParams.get('sig') ?? '';
    expect([shown.text, JSON.stringify(audit)].filter(text => text.includes(signature))).toEqual([]);
  });
});
