import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { answer } from '../support/endpoint-behaviours.js';
import type { Endpoint } from '../support/https-endpoint.js';
import type { Answer, Call, TestApp } from '../support/test-app.js';
import { fireEvents, registerWebhook, startWebhookStage, until, type WebhookStage } from '../support/webhooks.js';
import { expectError, expectLimits, expectWalk, ISO_8601, MISSING_IDS } from './contract.support.js';

const TYPES = [
  'policy_violation',
  'budget_exceeded',
  'budget_warning',
  'user_locked_out',
  'anomaly_detected',
  'device_enrolled',
  'device_revoked',
  'token_expiring',
] as const;

let stage: WebhookStage;
let app: TestApp;
let endpoint: Endpoint;
/** Each test has its own organization. */
let orgId: string;
let call: Call;

beforeAll(async () => {
  stage = await startWebhookStage();
  ({ app, endpoint } = stage);
});

afterAll(() => stage?.close());

beforeEach(async () => {
  ({ orgId, call } = await app.addOrganization());
  endpoint.behave('ok');
  endpoint.requests.length = 0;
});

const register = (fields: object = {}) => registerWebhook(call, { url: endpoint.url, ...fields });
const post = (body: object) => call('POST', '/v1/webhooks', body);
const deliveriesOf = async (id: string): Promise<Answer['body'][]> =>
  (await call('GET', `/v1/webhooks/${id}/deliveries`)).body.items;
const delivered = (id: string, count = 1) =>
  until(async () => {
    const items = await deliveriesOf(id);
    return items.filter(({ status }) => status === 'delivered').length === count && items;
  });

/** Deliveries that stay pending, so that the list does not change. */
async function waitingDeliveries(count: number): Promise<string> {
  const { id } = await register({ enabled: false });
  await fireEvents(app, orgId, 'budget_warning', count);
  return `/v1/webhooks/${id}/deliveries`;
}

describe('a webhook', () => {
  it('spec 2.6: registration returns id, url, events, description, signing_secret and created_at', async () => {
    const { status, body } = await post({ url: endpoint.url, events: ['budget_warning'], description: 'Finance' });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      id: expect.any(String),
      url: endpoint.url,
      events: ['budget_warning'],
      description: 'Finance',
      signing_secret: expect.any(String),
      created_at: expect.any(String),
    });
    expect((await register()).id).not.toBe(body.id);
  });

  it('spec 2.6: url is an HTTPS endpoint', async () => {
    expect((await register()).url).toBe(endpoint.url);
    expectError(await post({ url: endpoint.url.replace('https:', 'http:') }), 400, 'bad_request', 'url');
  });

  it('spec 2.6: events are the subscribed event types', async () => {
    const { id, events } = await register({ events: ['device_revoked', 'budget_warning'] });
    expect(events).toEqual(['device_revoked', 'budget_warning']);
    for (const type of TYPES) await fireEvents(app, orgId, type);
    const sent = (await delivered(id, 2)).map(({ event_type }) => event_type);
    expect(new Set(sent)).toEqual(new Set(events));
  });

  it('spec 2.6: description is an optional label', async () => {
    const description = 'Zoë’s pager 🦊';
    expect((await register({ description })).description).toBe(description);
    expect((await register()).description ?? null).toBeNull();
  });

  it('spec 2.6: signing_secret verifies signatures', async () => {
    const { id, signing_secret: secret } = await register();
    await fireEvents(app, orgId);
    await delivered(id);
    const [request] = endpoint.requests;
    const expected = createHmac('sha256', secret).update(request!.body).digest('hex');
    expect(request?.headers['x-service-signature']).toBe(`sha256=${expected}`);
  });

  it('spec 2.6: created_at is ISO 8601', async () => {
    const { created_at } = await register();
    expect(created_at).toMatch(ISO_8601);
    expect(Date.parse(created_at)).toBe(app.clock.now().getTime());
  });
});

describe('a delivery', () => {
  it('spec 2.7: deliveries are listed per webhook', async () => {
    const [first, second] = [await register(), await register({ events: ['budget_warning'] })];
    await fireEvents(app, orgId, 'policy_violation');
    await fireEvents(app, orgId, 'budget_warning');
    expect(await delivered(first.id, 2)).toHaveLength(2);
    const [only, ...more] = await delivered(second.id);
    expect([only, more]).toMatchObject([{ webhook_id: second.id, event_type: 'budget_warning' }, []]);
  });

  it('spec 2.7: a delivery has the HTTP status code and the response body of its attempts', async () => {
    for (const [status, text] of [
      [204, ''],
      [200, 'thank you'],
    ] as const) {
      endpoint.behave(answer(status, text));
      const { id } = await register();
      await fireEvents(app, orgId);
      const [delivery] = await delivered(id);
      expect(delivery.attempts).toMatchObject([{ http_status: status, response_body: text }]);
    }
  });
});

describe('POST /v1/webhooks', () => {
  it('spec 4.8: the webhook is returned with its signing_secret', async () => {
    const { status, body } = await post({ url: endpoint.url });
    expect(status).toBe(201);
    expect(body.signing_secret).toMatch(/\S{32,}/);
    expect((await register()).signing_secret).not.toBe(body.signing_secret);
  });

  it('spec 4.8: signing_secret is returned only here', async () => {
    const { id, signing_secret: secret } = await register();
    const answers = [
      await call('GET', `/v1/webhooks/${id}`),
      await call('GET', '/v1/webhooks'),
      await call('PATCH', `/v1/webhooks/${id}`, { description: 'x' }),
      await call('POST', `/v1/webhooks/${id}/test`),
      await call('GET', `/v1/webhooks/${id}/deliveries`),
      await call('GET', '/v1/audit-log'),
    ];
    for (const { status, text } of answers) {
      expect(status).toBeLessThan(300);
      expect(text).not.toContain('signing_secret');
      expect(text).not.toContain(secret);
    }
  });

  it('spec 4.8: url is required and must be HTTPS', async () => {
    for (const url of [undefined, null, 7, '', 'hooks.example.com', 'http://hooks.example.com', 'wss://example.com']) {
      expectError(await post({ url }), 400, 'bad_request', 'url');
    }
  });

  it('spec 4.8: events is a list of event types, and omitted means all events', async () => {
    const { id, events } = await register();
    expect(events).toEqual(expect.arrayContaining([...TYPES]));
    for (const type of TYPES) await fireEvents(app, orgId, type);
    const sent = await delivered(id, TYPES.length);
    expect(new Set(sent.map(({ event_type }) => event_type))).toEqual(new Set(TYPES));
    for (const type of TYPES) expect((await register({ events: [type] })).events).toEqual([type]);
    for (const wrong of ['ping', 'Budget_Warning', '', '*', 1]) {
      expectError(await post({ url: endpoint.url, events: [wrong] }), 400, 'bad_request', 'events[0]');
    }
    expectError(await post({ url: endpoint.url, events: 'budget_warning' }), 400, 'bad_request', 'events');
  });

  it('spec 4.8: description is optional', async () => {
    expect((await post({ url: endpoint.url })).status).toBe(201);
    expect((await post({ url: endpoint.url, description: 'x' })).status).toBe(201);
    expectError(await post({ url: endpoint.url, description: 7 }), 400, 'bad_request', 'description');
  });
});

describe('GET /v1/webhooks/{id}/deliveries', () => {
  it('spec 4.9: a paginated list of deliveries with HTTP status codes and response bodies', async () => {
    endpoint.behave(answer(202, 'later'));
    const { id } = await register();
    await fireEvents(app, orgId, 'budget_warning', 3);
    await delivered(id, 3);
    const { status, body } = await call('GET', `/v1/webhooks/${id}/deliveries?limit=2`);
    expect([status, body]).toMatchObject([200, { next_cursor: expect.any(String), has_more: true, total_count: 3 }]);
    expect(body.items).toHaveLength(2);
    for (const { attempts } of body.items)
      expect(attempts).toMatchObject([{ http_status: 202, response_body: 'later' }]);
    for (const missing of MISSING_IDS) {
      expectError(await call('GET', `/v1/webhooks/${missing}/deliveries`), 404, 'not_found');
    }
  });

  it('spec 4.9: limit is 1 to 100 with default 25', async () => {
    await expectLimits(call, await waitingDeliveries(101), 101);
  });

  it('spec 4.9: cursor continues the list', async () => {
    await expectWalk(call, await waitingDeliveries(7), 7);
  });
});

describe('POST /v1/webhooks/{id}/test', () => {
  it('spec 4.10: one ping event is sent to the url of the webhook', async () => {
    const { id } = await register({ url: `${endpoint.url}hook`, events: ['budget_warning'] });
    await register();
    expect((await call('POST', `/v1/webhooks/${id}/test`)).status).toBe(202);
    await delivered(id);
    expect(endpoint.requests).toHaveLength(1);
    const { method, path, body } = endpoint.requests[0]!;
    expect([method, path]).toEqual(['POST', '/hook']);
    expect(JSON.parse(body.toString('utf8'))).toEqual({
      id: expect.stringMatching(/^evt_test_./),
      type: 'ping',
      created_at: expect.stringMatching(ISO_8601),
      org_id: orgId,
      data: {},
    });
  });

  it('spec 4.10: no body is needed', async () => {
    const { id } = await register();
    expect((await call('POST', `/v1/webhooks/${id}/test`)).status).toBe(202);
    expect((await call('POST', `/v1/webhooks/${id}/test`, {})).status).toBe(202);
    for (const missing of MISSING_IDS) {
      expectError(await call('POST', `/v1/webhooks/${missing}/test`), 404, 'not_found');
    }
  });
});
