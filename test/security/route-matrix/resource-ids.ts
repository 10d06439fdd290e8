import { randomUUID } from 'node:crypto';
import { IdentityLinks, operatorActor } from '#access';
import { enroll, newToken, newUser } from '../../e2e/devices/devices.support.js';
import { putConnector, putTicket } from '../../support/itsm/ledger.js';
import { putAnomaly } from '../../support/put-anomaly.js';
import { putSession } from '../../support/put-session.js';
import type { TestApp } from '../../support/test-app.js';
import { fireEvents, registerWebhook } from '../../support/webhooks.js';

/** One resource of every kind that a path can name, by the path segment before its id. */
export type ResourceIds = Readonly<Record<string, string>>;

const GROUP = { schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'] };

/** Creates one resource of every kind in the app's organization. The app must be allowed to call loopback. */
export async function createResources(app: TestApp): Promise<ResourceIds> {
  const create = async (method: string, path: string, body: object): Promise<string> => {
    const answer = await app.call(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
    return answer.body.id;
  };
  const user = await newUser(app.call);
  const model = { provider: 'openai', model: 'gpt-4o' };
  const event = { id: randomUUID(), user_id: user, ...model, occurred_at: app.clock.now().toISOString() };
  await app.call('POST', '/v1/usage/events', { events: [{ ...event, input_tokens: 1, output_tokens: 1 }] });
  const day = app.clock.now().toISOString().slice(0, 10);
  // The webhook is paused, so that nothing is sent.
  const webhook = (await registerWebhook(app.call, { url: 'https://127.0.0.1:9/', enabled: false })).id;
  await fireEvents(app, app.orgId);
  await create('POST', '/v1/policies', { name: 'Ask', action: 'require_approval', model: 'ask-first' });
  const asked = await app.call('POST', '/v1/decisions', { user_id: user, provider: 'openai', model: 'ask-first' });
  const policy = await create('POST', '/v1/policies', { name: 'Mine', action: 'alert' });
  const slack = { platform: 'slack', workspace: 'T0MINE' };
  const workspace = await create('POST', '/v1/chat/workspaces', { ...slack, signing_secret: 'x'.repeat(32) });
  const connector = await putConnector(app, app.orgId, { kind: 'servicenow', active: false });
  const device = (await enroll(app, user)).body.device.id;
  await newToken(app.call, user);
  const [authority] = await app.database.asOwner<{ id: string }>(
    'select id from governance.device_authorities where org_id = $1',
    [app.orgId],
  );
  const terms = { amount_usd: 1000, period: 'daily', enforcement: 'block', split_by: 'user' };
  const budget = { name: 'Mine', scope: 'organization', ...terms };
  const price = { provider: 'acme', model: 'a-1', input_per_million_usd: 1, output_per_million_usd: 2 };
  const account = { orgId: app.orgId, issuer: 'https://idp.example.com', subject: 'one', userId: user };
  await app.app.get(IdentityLinks).link(operatorActor(app.orgId), { ...account, issuedAt: undefined });
  const provider = `provider-${randomUUID()}`;
  await create('PUT', `/v1/gateway/providers/${provider}`, {
    kind: 'openai_compatible',
    base_url: 'https://127.0.0.1:9',
  });
  const made = {
    '/v1/identities/': (await app.call('GET', '/v1/identities')).body.items[0].id,
    '/v1/sessions/': await putSession(app, app.orgId),
    '/v1/policies/': policy,
    '/v1/users/': user,
    '/scim/v2/Users/': user,
    '/scim/v2/Groups/': await create('POST', '/scim/v2/Groups', { ...GROUP, displayName: 'Sales' }),
    '/v1/tokens/': await create('POST', '/v1/tokens', {
      ...{ name: 'Mine', role: 'agent', user_id: user },
      scopes: ['decisions:write'],
    }),
    '/v1/usage/events/': event.id,
    '/v1/prices/': await create('PUT', '/v1/prices', price),
    '/v1/discounts/': await create('PUT', '/v1/discounts', { model: 'acme-2', percent_off: 10 }),
    '/v1/exchange-rates/': await create('PUT', '/v1/exchange-rates', {
      ...{ currency: 'EUR', date: '2026-11-01', rate: '0.9' },
    }),
    '/v1/prices/reratings/': await create('POST', '/v1/prices/reratings', { start_date: day, end_date: day }),
    '/v1/budgets/': await create('POST', '/v1/budgets', budget),
    '/v1/limits/': await create('POST', '/v1/limits', {
      ...{ name: 'Mine', scope: 'organization', requests_per_minute: 1_000_000 },
    }),
    '/v1/decisions/': await create('POST', '/v1/decisions', { user_id: user, ...model }),
    '/v1/reservations/': await create('POST', '/v1/decisions', { user_id: user, ...model }),
    '/v1/anomalies/': await putAnomaly(app, app.orgId, user),
    '/v1/approvals/': asked.body.approval_id,
    '/v1/webhooks/': webhook,
    '/v1/deliveries/': (await app.call('GET', '/v1/deliveries')).body.items[0].id,
    '/v1/webhooks/{id}/deliveries/': (await app.call('GET', `/v1/webhooks/${webhook}/deliveries`)).body.items[0].id,
    '/v1/devices/': device,
    '/v1/devices/enrollments/': await create('POST', '/v1/devices/enrollments', { user_id: user, name: 'Mine' }),
    '/v1/devices/authorities/': authority?.id ?? '',
    '/v1/chat/workspaces/': workspace,
    '/v1/chat/links/': await create('POST', '/v1/chat/links', { ...slack, account: 'U0MINE', user_id: user }),
    '/v1/itsm/connectors/': connector,
    '/v1/itsm/tickets/': await putTicket(app, app.orgId, { connectorId: connector, externalTicketId: 'SEC-1' }),
    '/v1/integrations/itsm/webhook/': app.orgId,
    '/v1/gateway/providers/': provider,
    '/gateway/': provider,
    '/gateway/{name}/': 'v1',
  };
  const incident = (await app.call('GET', '/v1/incidents')).body.items[0].id;
  return { ...made, '/v1/incidents/': incident };
}

/** Path segments that are not resources of an organization. */
const COMMON: Readonly<Record<string, string>> = {
  version: '1',
  platform: 'slack',
  name: 'User',
  urn: 'urn:ietf:params:scim:schemas:core:2.0:User',
};

/**
 * The path of a route with the ids of existing resources.
 *
 * @throws Error if no resource of the kind was created
 */
export function pathTo(template: string, resourceIds: ResourceIds): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string, at: number) => {
    const found = resourceIds[template.slice(0, at)] ?? COMMON[name];
    if (!found) throw new Error(`${template}: createResources() makes nothing under ${template.slice(0, at)}`);
    return encodeURIComponent(found);
  });
}

const NOTHING = '00000000-0000-4000-8000-000000000000';

/** The path of a route with unknown ids. Parameters in `kept` do not change. */
export function pathToNothing(template: string): string {
  // Does not replace the name of a provider, because an answer repeats the name in the request.
  const common = template.includes('gateway') ? { ...COMMON, name: `provider-${NOTHING}` } : COMMON;
  return template.replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) => (Object.hasOwn(common, name) ? common[name] : NOTHING) ?? '',
  );
}

/** Whether the path of a route names a resource of an organization. */
export function namesSomething(template: string): boolean {
  return [...template.matchAll(/\{(\w+)\}/g)].some(([, name = '']) => COMMON[name] === undefined);
}
