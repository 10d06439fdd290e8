import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { platformAccess } from '../../support/itsm/platform-access.js';
import { reroute } from '../../support/itsm/rerouted.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { until } from '../../support/webhooks.js';
import { GRACE, INCIDENTS, MEMBER, openIncident, shown, slackStage, type SlackStage } from './chat-notices.support.js';

const platforms = platformAccess();
let app: TestApp;
let stage: SlackStage;

beforeAll(async () => {
  app = await startTestApp({
    itsm: { dashboardUrl: 'https://governance.example.com/dashboard/' },
    ...{ egress: { allow: ['chat=127.0.0.0/8'] }, outbox: { pollIntervalMs: 100 } },
  });
  const origin = () => stage.slack.origin;
  reroute(app, { 'slack.com': origin, 'hooks.slack.com': origin });
});

beforeEach(async () => {
  stage = await slackStage(app, platforms.authority);
});

afterEach(() => stage.slack.close());

afterAll(async () => {
  jest.restoreAllMocks();
  await app.close();
});

/** Makes waiting notifications due. */
const makeDue = (): Promise<unknown> =>
  app.database.asOwner(
    `update governance.tasks set due_at = now() where org_id = $1 and queue = 'chat-notices' and lease_token is null`,
    [stage.orgId],
  );

const tasks = async (): Promise<number> =>
  (
    await app.database.asOwner(`select 1 from governance.tasks where org_id = $1 and queue = 'chat-notices'`, [
      stage.orgId,
    ])
  ).length;

/** Waits until no notification is left to send. */
const settled = (): Promise<unknown> => until(async () => (await tasks()) === 0);

describe('an incident in Slack', () => {
  it('is announced once in its channel, with a link and a button', async () => {
    const id = await openIncident(stage);
    const message = await stage.message();
    expect(message).toMatchObject({ channel: 'C0SECURITY', text: expect.stringContaining('&lt;models&gt;') });
    for (const text of [
      'Severity\\nhigh',
      'openai/gpt-4o',
      `https://governance.example.com/dashboard/incidents/${id}`,
    ]) {
      expect(shown(message)).toContain(text);
    }
    await settled();
    expect(stage.slack.messages).toHaveLength(1);
    expect(await stage.workspace()).toMatchObject({
      ...{ problem: null, secret_names: ['notification_secret', 'signing_secret'] },
      notifications: { incidents: INCIDENTS },
    });
  });

  it('is acknowledged by a button press as that user, and the message says so', async () => {
    const id = await openIncident(stage);
    const message = await stage.message();
    const { status, text } = await stage.press(message, 'Acknowledge', GRACE);
    expect([status, text]).toEqual([200, '']);
    expect(await stage.told()).toBe(`Incident ${id} is acknowledged by you.`);
    await stage.says(message, 'Acknowledged by Grace Hopper');
    expect(shown(message)).not.toContain('"value"');
    const { body } = await stage.call('GET', `/v1/incidents/${id}`);
    expect(body).toMatchObject({ status: 'acknowledged', acknowledged_by: { kind: 'chat', id: stage.users[GRACE] } });
  });

  it('tells a later user that somebody was first', async () => {
    const id = await openIncident(stage);
    const message = await stage.message();
    const late = stage.slack.press(message, 'Acknowledge', GRACE);
    await stage.call('PATCH', `/v1/incidents/${id}`, { status: 'acknowledged' });
    expect((await stage.send(late)).status).toBe(200);
    expect(await stage.told()).toContain(`Incident ${id} was already acknowledged by`);
    // Slack sends the same press again. It is stored and answered once.
    expect((await stage.send(late)).status).toBe(200);
    const stored = await app.database.asOwner('select 1 from governance.chat_commands where org_id = $1', [
      stage.orgId,
    ]);
    expect(stored).toHaveLength(1);
    expect(stage.slack.ephemerals).toHaveLength(1);
  });

  it('refuses users without the right or without a link, with a private message', async () => {
    const id = await openIncident(stage);
    const message = await stage.message();
    await stage.press(message, 'Acknowledge', MEMBER);
    expect(await stage.told()).toBe('Your account lacks the permission; ask an administrator.');
    await stage.press(message, 'Acknowledge', 'U0STRANGER');
    expect(await stage.told(2)).toContain('account U0STRANGER');
    expect(stage.slack.ephemerals.map(({ account }) => account)).toEqual([MEMBER, 'U0STRANGER']);
    expect((await stage.call('GET', `/v1/incidents/${id}`)).body.status).toBe('open');
    expect(message.edits).toBe(0);
  });

  it('is updated when it is resolved elsewhere', async () => {
    const id = await openIncident(stage);
    const message = await stage.message();
    await stage.call('PATCH', `/v1/incidents/${id}`, { status: 'resolved', resolution: 'done' });
    await stage.says(message, 'Resolved by');
    expect(stage.slack.messages).toHaveLength(1);
  });

  it('is not announced below the severity of the routing, nor in workspaces without notifications', async () => {
    const change = (notifications: object) =>
      stage.call('PATCH', `/v1/chat/workspaces/${stage.workspaceId}`, { notifications });
    expect((await change({ incidents: { ...INCIDENTS, min_severity: 'high' } })).status).toBe(200);
    await openIncident(stage, 'medium');
    await change({});
    await openIncident(stage, 'critical');
    await change({ incidents: { ...INCIDENTS, min_severity: 'high' } });
    await openIncident(stage, 'high');
    await stage.message();
    await settled();
    const sql = 'select stage from governance.chat_notices where org_id = $1';
    expect(await app.database.asOwner(sql, [stage.orgId])).toEqual([{ stage: 'sent' }]);
  });
});

describe('a button press without a valid signature', () => {
  it('is refused with 401 and has no effect: forged, too old, or of another app', async () => {
    const id = await openIncident(stage);
    const message = await stage.message();
    const { body, headers } = stage.slack.press(message, 'Acknowledge', GRACE);
    const forged = { body, headers: { ...headers, 'x-slack-signature': `v0=${'0'.repeat(64)}` } };
    const altered = { body: body.replace(GRACE, 'U0GRACF'), headers };
    const statuses = [(await stage.send(forged)).status, (await stage.send(altered)).status];
    app.clock.advance(301_000);
    statuses.push((await stage.send({ body, headers })).status);
    statuses.push((await stage.send({ body: 'payload=%7B%7D', headers })).status);
    expect(statuses).toEqual([401, 401, 401, 401]);
    expect((await stage.call('GET', `/v1/incidents/${id}`)).body.status).toBe('open');
  });

  it('of a link has no effect, and checks of the URL are answered', async () => {
    await openIncident(stage);
    const message = await stage.message();
    expect((await stage.press(message, 'Open', GRACE)).status).toBe(200);
    const stored = await app.database.asOwner('select 1 from governance.chat_commands where org_id = $1', [
      stage.orgId,
    ]);
    expect(stored).toEqual([]);
    const open = app.as(null);
    expect((await open('GET', '/v1/integrations/slack/interactions')).body.message).toContain('reachable');
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await open('POST', '/v1/integrations/teams/interactions', 'a=b', form)).status).toBe(404);
  });
});

describe('a notification that Slack refuses', () => {
  it('shows the operator what to do, and is sent after that', async () => {
    const [security] = stage.slack.channels;
    Object.assign(security ?? {}, { hasApp: false });
    await openIncident(stage);
    const { problem } = await until(async () => {
      const workspace = await stage.workspace();
      return workspace.problem && workspace;
    });
    expect(problem).toEqual({ message: expect.stringContaining('invite the app'), since: expect.any(String) });
    Object.assign(security ?? {}, { hasApp: true });
    await stage.call('PATCH', `/v1/chat/workspaces/${stage.workspaceId}`, {
      notification_secret: stage.slack.botToken,
    });
    await stage.message();
    await settled();
    expect((await stage.workspace()).problem).toBeNull();
  });

  it('is sent once after a rate limit of Slack', async () => {
    const fault = stage.slack.fault('429', ({ url }) => url.pathname === '/api/chat.postMessage');
    await openIncident(stage);
    await until(async () => stage.slack.received.length > 0);
    fault.end();
    await until(async () => makeDue().then(() => stage.slack.messages.length === 1));
    await settled();
    expect(stage.slack.messages).toHaveLength(1);
  });

  it.each(['answer lost', 'broken JSON'] as const)('is found and not sent again after “%s”', async name => {
    const fault = stage.slack.fault(name, ({ url }) => url.pathname === '/api/chat.postMessage');
    await openIncident(stage);
    const message = await stage.message();
    fault.end();
    await until(async () => makeDue().then(async () => (await tasks()) === 0));
    expect([stage.slack.messages.length, message.edits]).toEqual([1, 1]);
  });

  it('is found behind newer messages of the channel', async () => {
    const { slack } = stage;
    // Slack returns two messages per page.
    slack.conditions.historyLimit = 2;
    const fault = slack.fault('answer lost', ({ url }) => url.pathname === '/api/chat.postMessage');
    await openIncident(stage);
    const message = await stage.message();
    fault.end();
    const [seconds = '0'] = message.ts.split('.');
    for (const nth of [1, 2, 3]) {
      slack.messages.push({ ...message, ts: `${seconds}.90000${nth}`, metadata: undefined });
    }
    await until(async () => makeDue().then(async () => (await tasks()) === 0));
    expect([slack.messages.length, message.edits]).toEqual([4, 1]);
  });

  it('is sent twice if the app may not search in Slack', async () => {
    stage.slack.conditions.scopes.delete('channels:history');
    let posts = 0;
    const fault = stage.slack.fault('answer lost', ({ url }) => {
      return url.pathname === '/api/chat.postMessage' && (posts += 1) === 1;
    });
    await openIncident(stage);
    await until(async () => makeDue().then(async () => (await tasks()) === 0));
    fault.end();
    expect(stage.slack.messages).toHaveLength(2);
  });

  it('is found by the worker that takes over when a process dies before the end', async () => {
    const fault = stage.slack.fault('late', ({ url }) => url.pathname === '/api/chat.postMessage');
    await openIncident(stage);
    const message = await stage.message();
    // Ends the lease of the process that waits for the answer, as if the process had died.
    const replica = await startTestApp({
      ...{ testDatabase: app.database, orgId: app.orgId, time: app.clock },
      ...{ egress: { allow: ['chat=127.0.0.0/8'] }, outbox: { pollIntervalMs: 100 } },
    });
    reroute(replica, { 'slack.com': () => stage.slack.origin });
    try {
      await app.database.asOwner(
        `update governance.tasks set due_at = now() - interval '1 second' where org_id = $1 and queue = 'chat-notices'`,
        [stage.orgId],
      );
      await until(async () => stage.slack.received.some(({ url }) => url.pathname === '/api/conversations.history'));
      await settled();
      expect([stage.slack.messages.length, message.edits]).toEqual([1, 1]);
    } finally {
      fault.end();
      await replica.close();
    }
  });
});
