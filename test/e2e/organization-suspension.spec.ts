import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Governance, GovernanceOperations, OrganizationSuspendedError } from '#governance';
import { GATEWAY_ALLOWED, putProvider } from './gateway/gateway.support.js';
import { Browser, builtPage } from './dashboard/dashboard.support.js';
import { newRequest, newToken, newUser } from './devices/devices.support.js';
import { SlackWorkspace } from '../support/itsm/slack.js';
import { startProvider, type Provider } from '../support/providers/provider.js';
import { startTestApp, type Answer, type Call, type TestApp } from '../support/test-app.js';
import {
  fireEvents,
  LOOPBACK_ALLOWED,
  registerWebhook,
  startWebhookStage,
  until,
  type WebhookStage,
} from '../support/webhooks.js';

const REASON = expect.stringContaining('This organization is suspended by the operator');
const REFUSED = { status: 403, body: expect.objectContaining({ error: 'forbidden', message: REASON }) };
/** The guaranteed second, plus extra time for a busy machine. */
const FOLLOWED_MS = 10_000;

const REQUEST = { user_id: randomUUID(), model: 'gpt-4o', provider: 'openai' };

let stage: WebhookStage;
let first: TestApp;
let second: TestApp;
let provider: Provider;

beforeAll(async () => {
  provider = await startProvider({ kind: 'openai' });
  const options = {
    decisions: { unknownUser: 'evaluate' },
    dashboard: { sessions: true, folder: await builtPage() },
    egress: { allow: [...LOOPBACK_ALLOWED.egress.allow, ...GATEWAY_ALLOWED.egress.allow] },
  } as const;
  stage = await startWebhookStage(options);
  first = stage.app;
  second = await startTestApp({ ...options, testDatabase: first.database, orgId: first.orgId });
});

afterAll(async () => {
  await second?.close();
  await stage?.close();
  await provider?.close();
});

const operations = () => first.app.get(GovernanceOperations);
const suspend = (orgId: string) => operations().suspendOrganization(orgId, { by: 'op', reason: 'An incident' });
const resume = (orgId: string) => operations().resumeOrganization(orgId, { by: 'op' });

/** The organization as the other replica serves it. */
async function organizationOfBoth(): Promise<{ orgId: string; token: string; here: Call; there: Call }> {
  const { orgId, token, call } = await first.addOrganization();
  const there = second.as(token);
  for (const each of [call, there]) expect((await each('POST', '/v1/decisions', REQUEST)).status).toBe(200);
  return { orgId, token, here: call, there };
}

const becomes = (status: number, ask: () => Promise<Answer>) =>
  until(async () => (await ask()).status === status, FOLLOWED_MS);

describe('a suspended organization', () => {
  it('is refused on every replica, with the reason, until it is resumed', async () => {
    const { orgId, here, there } = await organizationOfBoth();
    const neighbor = await first.addOrganization();
    await suspend(orgId);
    expect(await here('POST', '/v1/decisions', REQUEST)).toMatchObject(REFUSED);
    await becomes(403, () => there('POST', '/v1/decisions', REQUEST));
    for (const call of [here, there]) {
      for (const path of ['/v1/organization', '/v1/users', '/v1/tokens', '/v1/audit-log', '/v1/usage']) {
        expect(await call('GET', path)).toMatchObject(REFUSED);
      }
      expect(await call('POST', '/v1/usage/events', { events: [] })).toMatchObject(REFUSED);
      expect((await call('GET', '/scim/v2/Users')).status).toBe(403);
    }
    expect((await neighbor.call('POST', '/v1/decisions', REQUEST)).status).toBe(200);

    await resume(orgId);
    expect((await here('POST', '/v1/decisions', REQUEST)).status).toBe(200);
    await becomes(200, () => there('POST', '/v1/decisions', REQUEST));
    const { items } = (await here('GET', '/v1/audit-log?resource_type=organization')).body;
    expect(items).toMatchObject([
      { action: 'organization.resumed', actor_kind: 'cli', actor_name: 'op', after: { suspended_at: null } },
      { action: 'organization.suspended', actor_name: 'op', after: { reason: 'An incident' } },
      { action: 'organization.created' },
    ]);
  });

  it("is refused decisions in the host's own process, but its usage reports are accepted", async () => {
    const { orgId, here } = await organizationOfBoth();
    const user = await newUser(here);
    const governance = second.app.get(Governance);
    await governance.decide(orgId, { ...REQUEST, idempotency_key: 'k' });
    await suspend(orgId);
    const refusal = await until(
      async () =>
        governance.decide(orgId, REQUEST).then(
          () => false as const,
          (error: unknown) => error,
        ),
      FOLLOWED_MS,
    );
    expect(refusal).toBeInstanceOf(OrganizationSuspendedError);
    const again = governance.decide(orgId, { ...REQUEST, idempotency_key: 'k' });
    await expect(again).rejects.toThrow(OrganizationSuspendedError);
    const call = governance.call(orgId, REQUEST, { run: () => Promise.reject(new Error('was called')) });
    await expect(call).rejects.toThrow(OrganizationSuspendedError);
    const event = { id: randomUUID(), ...REQUEST, user_id: user, occurred_at: second.clock.now().toISOString() };
    const receipt = await governance.recordUsage(orgId, [{ ...event, input_tokens: 1, output_tokens: 1 }]);
    expect(receipt).toMatchObject({ accepted: 1, rejected: [] });
  });

  it('reaches no provider through the gateway', async () => {
    const { orgId, here, token } = await organizationOfBoth();
    await putProvider(here, 'openai', provider);
    const gateway = (): Promise<Answer> =>
      second.as(token)(
        'POST',
        '/gateway/openai/v1/chat/completions',
        { model: 'gpt-4o', messages: [] },
        { 'x-governance-user': REQUEST.user_id },
      );
    await suspend(orgId);
    await becomes(403, () => second.as(token)('GET', '/v1/organization'));
    const calls = provider.served.length;
    const answer = await gateway();
    expect(answer.status).toBe(403);
    expect(answer.text).toContain('This organization is suspended');
    expect(provider.served).toHaveLength(calls);
  });

  it('is refused at the routes without an access token', async () => {
    const { orgId, here } = await organizationOfBoth();
    const user = await newUser(here);
    const enrollment = await newToken(here, user);
    const slack = new SlackWorkspace(first);
    const workspace = { platform: 'slack', workspace: slack.id };
    await here('POST', '/v1/chat/workspaces', { ...workspace, signing_secret: slack.secret });
    await here('PUT', '/v1/itsm/inbound', { allowed_networks: ['127.0.0.0/8'] });
    const browser = new Browser(first);
    const { token } = (await here('POST', '/v1/tokens', { name: 'Browser', role: 'auditor' })).body;
    expect((await browser.signIn(token)).status).toBe(201);
    await suspend(orgId);

    const { csr } = await newRequest();
    expect(await first.as(null)('POST', '/v1/devices/enroll', { token: enrollment, csr })).toMatchObject(REFUSED);
    const report = { external_ticket_id: 'A-1', status: 'closed', event_id: randomUUID() };
    expect(await first.as(null)('POST', `/v1/integrations/itsm/webhook/${orgId}`, report)).toMatchObject({
      status: 403,
    });
    const typed = await slack.type('U0MINE', 'list');
    expect(typed).toMatchObject({ status: 200, body: { text: expect.stringContaining('is suspended') } });
    expect(await browser.call('GET', '/v1/me')).toMatchObject(REFUSED);
    expect(await new Browser(first).signIn(token)).toMatchObject({ status: 403 });
    // A caller with an invalid credential does not learn that the organization is suspended.
    expect((await first.as(`${token}x`)('GET', '/v1/organization')).status).toBe(401);
  });
});

describe('the background work of a suspended organization', () => {
  it('waits without an attempt, does not delay others, and continues in order when the organization is resumed', async () => {
    const { endpoint } = stage;
    const { orgId, here, there } = await organizationOfBoth();
    const neighbor = await first.addOrganization();
    await registerWebhook(here, { url: `${endpoint.url}held` });
    await registerWebhook(neighbor.call, { url: `${endpoint.url}neighbor` });
    const at = (path: string) => endpoint.requests.filter(request => request.path === path).length;
    await suspend(orgId);
    // Both replicas have workers.
    await becomes(403, () => there('GET', '/v1/organization'));
    await fireEvents(first, orgId, 'policy_violation', 3);
    await until(async () => (await asideOf(orgId)) === 3);
    await fireEvents(first, neighbor.orgId);
    await until(async () => at('/neighbor') === 1);
    expect(at('/held')).toBe(0);
    const [before] = await tasksOf(orgId);
    expect(before).toEqual({ queue: 'suspended webhook', attempt: 1, interruptions: 0, leased: false });

    await resume(orgId);
    await until(async () => at('/held') === 3);
    expect(await asideOf(orgId)).toBe(0);
  });

  it('continues when the resumption is repeated after a crash between its two steps', async () => {
    const { endpoint } = stage;
    const { orgId, here } = await organizationOfBoth();
    await registerWebhook(here, { url: `${endpoint.url}crash` });
    await suspend(orgId);
    await fireEvents(first, orgId);
    await until(async () => (await asideOf(orgId)) === 1);
    await first.database.asOwner('update governance.organizations set suspended_at = null where id = $1', [orgId]);
    await resume(orgId);
    await until(async () => endpoint.requests.some(request => request.path === '/crash'));
  });
});

interface TaskRow {
  queue: string;
  attempt: number;
  interruptions: number;
  leased: boolean;
}

const tasksOf = (orgId: string): Promise<TaskRow[]> =>
  first.database.asOwner<TaskRow>(
    `select queue, attempt, interruptions, lease_token is not null as leased from governance.tasks
     where org_id = $1 order by id`,
    [orgId],
  );

const asideOf = async (orgId: string): Promise<number> =>
  (await tasksOf(orgId)).filter(({ queue }) => queue.startsWith('suspended ')).length;
