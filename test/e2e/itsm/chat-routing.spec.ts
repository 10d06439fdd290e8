import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { startTeamsWorkflow, TEAMS_HOST, type TeamsWorkflow } from '../../emulators/teams/workflow.js';
import { platformAccess } from '../../support/itsm/platform-access.js';
import { reroute } from '../../support/itsm/rerouted.js';
import { startTestApp, type Answer, type TestApp } from '../../support/test-app.js';
import { APPROVALS, INCIDENTS, slackStage, type SlackStage } from './chat-notices.support.js';

const platforms = platformAccess();
let app: TestApp;
let stage: SlackStage;
let workflow: TeamsWorkflow;

beforeAll(async () => {
  app = await startTestApp({ egress: { allow: ['chat=127.0.0.0/8'] }, outbox: { pollIntervalMs: 100 } });
  const origin = () => stage.slack.origin;
  reroute(app, { 'slack.com': origin, 'hooks.slack.com': origin, [TEAMS_HOST]: () => workflow.origin });
});

beforeEach(async () => {
  stage = await slackStage(app, platforms.authority, {});
  workflow = await startTeamsWorkflow({ authority: platforms.authority });
});

afterEach(() => Promise.all([stage.slack.close(), workflow.close()]));

afterAll(async () => {
  jest.restoreAllMocks();
  await app.close();
});

const routed = (notifications: object): Promise<Answer> =>
  stage.call('PATCH', `/v1/chat/workspaces/${stage.workspaceId}`, { notifications });

async function person(department?: string): Promise<string> {
  const user = { email: `${randomUUID()}@example.com`, name: 'Bob', ...(department !== undefined && { department }) };
  return (await stage.call('POST', '/v1/users', user)).body.id;
}

async function policy(model: string, action = 'block'): Promise<string> {
  return (await stage.call('POST', '/v1/policies', { name: `Not ${model}`, action, model, severity: 'high' })).body.id;
}

/** Requests a decision about this model, which violates a policy. */
const ask = (userId: string, model: string): Promise<Answer> =>
  stage.call('POST', '/v1/decisions', { user_id: userId, provider: 'openai', model });

/**
 * The models of the announced incidents. Notifications are stored before the decision is answered, so there is no need
 * to wait for them.
 */
async function announced(table: 'incidents' | 'approvals'): Promise<string[]> {
  const rows = await app.database.asOwner<{ model: string }>(
    `select s.model from governance.chat_notices n join governance.${table} s on s.org_id = n.org_id and s.id = n.subject_id
     where n.org_id = $1 order by s.model`,
    [stage.orgId],
  );
  return rows.map(({ model }) => model);
}

describe('the routing of notifications', () => {
  it('announces only incidents of its policies and departments, in the channel', async () => {
    const [one, two] = [await policy('model-1'), await policy('model-2')];
    const [sales, legal, nobody] = [await person('Sales'), await person('Legal'), await person()];
    const conditions = { policies: [one.toUpperCase(), one], departments: ['Sales'] };
    const { body } = await routed({ incidents: { ...INCIDENTS, ...conditions } });
    expect(body.notifications.incidents).toEqual({ ...INCIDENTS, policies: [one], departments: ['Sales'] });
    await ask(legal, 'model-1');
    await ask(nobody, 'model-1');
    await ask(sales, 'model-2');
    expect(await announced('incidents')).toEqual([]);
    await ask(sales, 'model-1');
    expect(await announced('incidents')).toEqual(['model-1']);
    expect((await stage.message()).channel).toBe('C0SECURITY');
    await routed({ incidents: { ...INCIDENTS, policies: [two] } });
    await ask(legal, 'model-2');
    expect(await announced('incidents')).toEqual(['model-1', 'model-2']);
  });

  it('announces only approval requests of its policies and departments', async () => {
    const asking = await policy('model-1', 'require_approval');
    await policy('model-2', 'require_approval');
    const [sales, legal] = [await person('Sales'), await person('Legal')];
    await routed({ approvals: { ...APPROVALS, policies: [asking], departments: ['Sales'] } });
    expect((await ask(legal, 'model-1')).body.approval_id).toEqual(expect.any(String));
    expect((await ask(sales, 'model-2')).body.approval_id).toEqual(expect.any(String));
    expect(await announced('approvals')).toEqual([]);
    await ask(sales, 'model-1');
    expect(await announced('approvals')).toEqual(['model-1']);
    expect((await stage.message()).channel).toBe('C0APPROVALS');
  });

  it('applies to each workspace separately', async () => {
    const one = await policy('model-1');
    const other = { platform: 'teams', workspace: 'Legal channel', notification_secret: workflow.webhookUrl };
    const made = await stage.call('POST', '/v1/chat/workspaces', {
      ...other,
      notifications: { incidents: { departments: ['Legal'] } },
    });
    expect([made.status, made.text]).toEqual([201, expect.any(String)]);
    await routed({ incidents: { ...INCIDENTS, policies: [one], departments: ['Sales'] } });
    await ask(await person('Legal'), 'model-1');
    await ask(await person('Sales'), 'model-1');
    const rows = await app.database.asOwner<{ platform: string; department: string }>(
      `select w.platform, i.details ->> 'department' as department from governance.chat_notices n
       join governance.chat_workspaces w on w.id = n.workspace_id join governance.incidents i on i.id = n.subject_id
       where n.org_id = $1 order by 1`,
      [stage.orgId],
    );
    expect(rows).toEqual([
      { platform: 'slack', department: 'Sales' },
      { platform: 'teams', department: 'Legal' },
    ]);
  });

  it.each([
    [{ incidents: { ...INCIDENTS, policies: [] } }, 'notifications.incidents.policies'],
    [{ incidents: { ...INCIDENTS, policies: ['No GPT-4'] } }, 'notifications.incidents.policies'],
    [{ incidents: { ...INCIDENTS, departments: [' '] } }, 'notifications.incidents.departments'],
    [{ approvals: { ...APPROVALS, departments: 'Sales' } }, 'notifications.approvals.departments'],
    [{ approvals: { ...APPROVALS, min_severity: 'high' } }, 'notifications.approvals.min_severity'],
  ])('is refused with the name of the field if it is %j', async (notifications, field) => {
    const { status, body } = await routed(notifications);
    expect([status, body.details.map((each: { field: string }) => each.field)]).toEqual([400, [field]]);
  });
});
