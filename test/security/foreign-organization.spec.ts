import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { IdentityLinks, operatorActor } from '#access';
import { enroll } from '../e2e/devices/devices.support.js';
import { startTestApp, type Call, type TestApp } from '../support/test-app.js';
import { fireEvents, LOOPBACK_ALLOWED, registerWebhook } from '../support/webhooks.js';

const DEACTIVATE = {
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations: [{ op: 'replace', path: 'active', value: false }],
};
const NOBODY = '00000000-0000-4000-8000-000000000000';

describe('what belongs to another organization', () => {
  let app: TestApp;
  let intruder: Call;
  let mine: Record<
    | 'policy'
    | 'user'
    | 'identity'
    | 'token'
    | 'event'
    | 'price'
    | 'rerating'
    | 'decision'
    | 'webhook'
    | 'delivery'
    | 'budget'
    | 'approval'
    | 'incident'
    | 'device'
    | 'enrollment'
    | 'workspace'
    | 'link'
    | 'connector'
    | 'ticket',
    string
  >;

  beforeAll(async () => {
    app = await startTestApp(LOOPBACK_ALLOWED);
    intruder = (await app.addOrganization('Intruders')).call;
    const user = (await app.call('POST', '/v1/users', { email: 'ada@example.com', name: 'Ada' })).body.id;
    const usage = { id: 'e1', user_id: user, provider: 'openai', model: 'gpt-4o', input_tokens: 1, output_tokens: 1 };
    await app.call('POST', '/v1/usage/events', { events: [{ ...usage, occurred_at: app.clock.now().toISOString() }] });
    const price = { provider: 'acme', model: 'a-1', input_per_million_usd: 1, output_per_million_usd: 2 };
    const budget = {
      name: 'Mine',
      scope: 'user',
      user_id: user,
      amount_usd: 1,
      period: 'daily',
      enforcement: 'notify',
    };
    // Paused, so that nothing is sent.
    const webhook = (await registerWebhook(app.call, { url: 'https://127.0.0.1:9/', enabled: false })).id;
    await fireEvents(app, app.orgId);
    await app.call('POST', '/v1/policies', { name: 'Ask', action: 'require_approval', model: 'ask-first' });
    const asked = { user_id: user, provider: 'openai', model: 'ask-first' };
    const slack = { platform: 'slack', workspace: 'T0MINE' };
    const registered = await app.call('POST', '/v1/chat/workspaces', { ...slack, signing_secret: 'x'.repeat(32) });
    const connector = await app.call('POST', '/v1/itsm/connectors', {
      ...{ kind: 'servicenow', name: 'Mine', settings: { instance_url: 'https://127.0.0.1:9' } },
      secrets: { username: 'somebody', password: 'a password' },
    });
    mine = {
      workspace: registered.body.id,
      link: (await app.call('POST', '/v1/chat/links', { ...slack, account: 'U0MINE', user_id: user })).body.id,
      user,
      identity: await identityOf(user),
      connector: connector.body.id,
      ticket: '',
      approval: (await app.call('POST', '/v1/decisions', asked)).body.approval_id,
      webhook,
      delivery: (await app.call('GET', `/v1/webhooks/${webhook}/deliveries`)).body.items[0].id,
      policy: (await app.call('POST', '/v1/policies', { name: 'Mine', action: 'alert' })).body.id,
      token: (await app.call('POST', '/v1/tokens', { name: 'Mine', role: 'auditor' })).body.id,
      event: 'e1',
      price: (await app.call('PUT', '/v1/prices', price)).body.id,
      rerating: (await app.call('POST', '/v1/prices/reratings', { start_date: '2026-11-20', end_date: '2026-11-20' }))
        .body.id,
      budget: (await app.call('POST', '/v1/budgets', budget)).body.id,
      decision: (await app.call('POST', '/v1/decisions', { user_id: user, provider: 'openai', model: 'gpt-4o' })).body
        .id,
      incident: '',
      device: (await enroll(app, user)).body.device.id,
      enrollment: (await app.call('POST', '/v1/devices/enrollments', { user_id: user, name: 'Mine' })).body.id,
    };
    mine.incident = (await app.call('GET', '/v1/incidents')).body.items[0].id;
    mine.ticket = (await app.call('GET', '/v1/itsm/tickets')).body.items[0].id;
  });

  afterAll(() => app?.close());

  async function identityOf(userId: string): Promise<string> {
    const account = {
      orgId: app.orgId,
      issuer: 'https://idp.example.com',
      subject: 'ada',
      userId,
      issuedAt: undefined,
    };
    await app.app.get(IdentityLinks).link(operatorActor(app.orgId), account);
    return (await app.call('GET', '/v1/identities')).body.items[0].id;
  }

  it('is 404 on every route that takes an id, exactly like an id that does not exist', async () => {
    const routes: [string, string, unknown?][] = [
      ['GET', `/v1/policies/${mine.policy}`],
      ['PUT', `/v1/policies/${mine.policy}`, { enabled: false }],
      ['DELETE', `/v1/policies/${mine.policy}`],
      ['GET', `/v1/policies/${mine.policy}/versions`],
      ['GET', `/v1/policies/${mine.policy}/versions/1`],
      ['GET', `/v1/policies/${mine.policy}/versions/1/diff`],
      ['POST', `/v1/policies/${mine.policy}/restore`, { version: 1 }],
      ['GET', `/v1/users/${mine.user}`],
      ['PUT', `/v1/users/${mine.user}`, { name: 'Owned' }],
      ['POST', `/v1/users/${mine.user}/offboard`],
      ['DELETE', `/v1/users/${mine.user}/offboard`],
      ['POST', `/v1/users/${mine.user}/reinstate`],
      ['GET', `/scim/v2/Users/${mine.user}`],
      ['PATCH', `/scim/v2/Users/${mine.user}`, DEACTIVATE],
      ['DELETE', `/scim/v2/Users/${mine.user}`],
      ['DELETE', `/v1/tokens/${mine.token}`],
      ['DELETE', `/v1/identities/${mine.identity}`],
      ['GET', `/v1/usage/events/${mine.event}`],
      ['DELETE', `/v1/prices/${mine.price}`],
      ['GET', `/v1/prices/reratings/${mine.rerating}`],
      ['GET', `/v1/budgets/${mine.budget}`],
      ['PATCH', `/v1/budgets/${mine.budget}`, { name: 'Owned' }],
      ['DELETE', `/v1/budgets/${mine.budget}`],
      ['GET', `/v1/decisions/${mine.decision}`],
      ['GET', `/v1/decisions/${mine.decision}/explanation`],
      ['GET', `/v1/approvals/${mine.approval}`],
      ['POST', `/v1/approvals/${mine.approval}/approve`],
      ['POST', `/v1/approvals/${mine.approval}/deny`],
      ['POST', `/v1/approvals/${mine.approval}/revoke`],
      ['GET', `/v1/incidents/${mine.incident}`],
      ['GET', `/v1/incidents/${mine.incident}/timeline`],
      ['PATCH', `/v1/incidents/${mine.incident}`, { status: 'resolved' }],
      ['POST', `/v1/incidents/${mine.incident}/tickets`],
      ['GET', `/v1/itsm/connectors/${mine.connector}`],
      ['PATCH', `/v1/itsm/connectors/${mine.connector}`, { active: false }],
      ['POST', `/v1/itsm/connectors/${mine.connector}/test`],
      ['DELETE', `/v1/itsm/connectors/${mine.connector}`],
      ['GET', `/v1/itsm/tickets/${mine.ticket}`],
      ['POST', `/v1/itsm/tickets/${mine.ticket}/retry`],
      ['GET', `/v1/devices/${mine.device}`],
      ['POST', `/v1/devices/${mine.device}/revoke`],
      ['DELETE', `/v1/devices/enrollments/${mine.enrollment}`],
      ['PATCH', `/v1/chat/workspaces/${mine.workspace}`, { signing_secret: 'y'.repeat(32) }],
      ['DELETE', `/v1/chat/workspaces/${mine.workspace}`],
      ['DELETE', `/v1/chat/links/${mine.link}`],
      ['GET', `/v1/webhooks/${mine.webhook}`],
      ['PATCH', `/v1/webhooks/${mine.webhook}`, { enabled: true }],
      ['DELETE', `/v1/webhooks/${mine.webhook}`],
      ['POST', `/v1/webhooks/${mine.webhook}/rotate-secret`],
      ['POST', `/v1/webhooks/${mine.webhook}/test`],
      ['POST', `/v1/webhooks/${mine.webhook}/recover`, { since: '2026-01-01T00:00:00Z' }],
      ['GET', `/v1/webhooks/${mine.webhook}/deliveries`],
      ['GET', `/v1/webhooks/${mine.webhook}/deliveries/${mine.delivery}`],
      ['POST', `/v1/webhooks/${mine.webhook}/deliveries/${mine.delivery}/retry`],
    ];
    for (const [method, path, body] of routes) {
      const answer = await intruder(method, path, body);
      expect({ method, path, status: answer.status }).toEqual({ method, path, status: 404 });
      const unknown = await intruder(
        method,
        path.replace(
          /^(\/(?:v1|scim\/v2)\/(?:usage\/|prices\/(?=reratings\/)|devices\/(?=enrollments\/)|chat\/|itsm\/)?\w+\/)[^/]+/,
          (_, list: string) => `${list}${NOBODY}`,
        ),
        body,
      );
      expect(withoutIds(unknown.body)).toEqual(withoutIds(answer.body));
    }
    expect((await app.call('GET', `/v1/policies/${mine.policy}`)).body).toMatchObject({ name: 'Mine', enabled: true });
    expect((await app.call('GET', `/v1/users/${mine.user}`)).body).toMatchObject({ name: 'Ada', status: 'active' });
    expect((await app.call('GET', `/v1/webhooks/${mine.webhook}`)).body).toMatchObject({ enabled: false });
    expect((await app.call('GET', `/v1/devices/${mine.device}`)).body).toMatchObject({ status: 'active' });
    expect((await app.call('GET', `/v1/itsm/connectors/${mine.connector}`)).body).toMatchObject({ active: true });
  });

  it('is an unknown user to decisions and to usage', async () => {
    const decision = await intruder('POST', '/v1/decisions', {
      user_id: mine.user,
      provider: 'openai',
      model: 'gpt-4o',
    });
    expect(decision.body).toMatchObject({ allowed: false, reason: 'unknown_user' });
    const usage = {
      id: 'e2',
      user_id: mine.user,
      provider: 'openai',
      model: 'gpt-4o',
      input_tokens: 1,
      output_tokens: 1,
    };
    const { body } = await intruder('POST', '/v1/usage/events', {
      events: [{ ...usage, occurred_at: app.clock.now().toISOString() }],
    });
    expect(body).toMatchObject({ accepted: 0, rejected: [{ index: 0, field: 'user_id' }] });
  });

  it('is in no list', async () => {
    const stranger = (await app.addOrganization('Strangers')).call;
    for (const list of [
      'policies',
      'users',
      'usage',
      'prices',
      'budgets',
      'decisions',
      'approvals',
      'incidents',
      'webhooks',
      'itsm/connectors',
      'itsm/tickets',
      'devices',
    ]) {
      const path = `/v1/${list}`;
      expect({ path, items: (await stranger('GET', path)).body.items }).toEqual({ path, items: [] });
    }
  });
});

function withoutIds(body: Record<string, unknown>): string {
  return JSON.stringify({ ...body, request_id: '' }).replaceAll(/[0-9a-f-]{36}|\be1\b/g, '<id>');
}
