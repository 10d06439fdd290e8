import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Answer } from '../support/test-app.js';
import { createPolicy, createUser, decide, ISO_8601, UUID } from './contract.support.js';
import { startEventBench, type EventBench, type Webhook } from './events.support.js';

const EIGHT = [
  ...['policy_violation', 'budget_exceeded', 'budget_warning', 'user_locked_out', 'anomaly_detected'],
  ...['device_enrolled', 'device_revoked', 'token_expiring'],
];

let bench: EventBench;
let userId: string;
let policyId: string;

beforeAll(async () => {
  bench = await startEventBench();
  userId = (await createUser(bench.app.call, 'Sam', { department: 'Sales' })).id;
  policyId = (await createPolicy(bench.app.call, { name: 'Not in Sales', model: 'blocked' })).id;
  await createPolicy(bench.app.call, { name: 'Watched', model: 'watched', action: 'alert', severity: 'low' });
});

afterEach(async () => {
  bench.endpoint.behave('ok');
  const { body } = await bench.app.call('GET', '/v1/webhooks?limit=100');
  for (const { id } of body.items) await bench.app.call('DELETE', `/v1/webhooks/${id}`);
});

afterAll(() => bench?.close());

/** The body of the first request that the webhook receives after the action. */
async function firstAt(webhook: Webhook, act: () => Promise<unknown>): Promise<Answer['body']> {
  const before = bench.endpoint.requestCount;
  await act();
  await bench.endpoint.reach(before + 1);
  const [request] = bench.arrivedFor(webhook);
  return JSON.parse(request?.body.toString('utf8') ?? 'null');
}

const violate = (model = 'blocked') => decide(bench.app.call, userId, model);

describe('the envelope', () => {
  it('spec 2.8: an event has an id with the prefix evt_, type, created_at, org_id and data', async () => {
    const webhook = await bench.register();
    const event = await firstAt(webhook, violate);
    expect(event).toEqual({
      id: expect.stringMatching(/^evt_[0-9a-z]+$/),
      type: 'policy_violation',
      created_at: expect.stringMatching(ISO_8601),
      org_id: bench.app.orgId,
      data: expect.any(Object),
    });
  });

  it('spec 2.8: the data of a policy_violation has alert, severity, user, policy, provider, model and details', async () => {
    const webhook = await bench.register();
    const { data } = await firstAt(webhook, violate);
    expect(data).toEqual({
      alert_id: expect.stringMatching(UUID),
      severity: 'high',
      user_id: userId,
      policy_id: policyId,
      provider: 'openai',
      model: 'blocked',
      details: expect.objectContaining({ policy_name: 'Not in Sales', department: 'Sales' }),
    });
  });
});

describe('the signature', () => {
  it('spec 5: X-Service-Signature is sha256= and the HMAC of the raw body under the signing secret', async () => {
    const webhook = await bench.register();
    await firstAt(webhook, violate);
    const [request] = bench.arrivedFor(webhook);
    const mac = createHmac('sha256', webhook.signing_secret).update(request?.body ?? '');
    expect(request?.headers['x-service-signature']).toBe(`sha256=${mac.digest('hex')}`);
  });
});

describe('subscription', () => {
  it('spec 6.1: an event is POSTed to each subscribed webhook', async () => {
    const [one, two] = [await bench.register({ events: ['policy_violation'] }), await bench.register()];
    const other = await bench.register({ events: ['device_enrolled'] });
    await violate();
    await bench.delivery(one, ({ status }) => status === 'delivered');
    await bench.delivery(two, ({ status }) => status === 'delivered');
    expect(bench.arrivedFor(one).map(request => request.method)).toEqual(['POST']);
    expect(bench.arrivedFor(two)[0]?.body).toEqual(bench.arrivedFor(one)[0]?.body);
    expect(bench.arrivedFor(other)).toEqual([]);
  });

  it('spec 6.1: a webhook registered without events gets all types', async () => {
    const webhook = await bench.register();
    expect(webhook.events).toEqual(expect.arrayContaining(EIGHT));
  });

  it('spec 6.2: policy_violation is sent when a policy fires with alert or block', async () => {
    const webhook = await bench.register();
    const before = bench.endpoint.requestCount;
    await violate('watched');
    await violate('blocked');
    await violate('free');
    const { body } = await bench.app.call('GET', `/v1/webhooks/${webhook.id}/deliveries`);
    expect(body.total_count).toBe(2);
    await bench.endpoint.reach(before + 2);
    const models: string[] = bench.arrivedFor(webhook).map(({ body }) => JSON.parse(body.toString()).data.model);
    expect(models.toSorted()).toEqual(['blocked', 'watched']);
  });

  it('spec 6.2: user_locked_out is sent when an employee is offboarded and access is revoked', async () => {
    const { call, orgId } = bench.app;
    const { id } = await createUser(call, 'Lea');
    const webhook = await bench.register({ events: ['user_locked_out'] });
    const event = await firstAt(webhook, () => call('POST', `/v1/users/${id}/offboard`));
    expect(event).toMatchObject({
      type: 'user_locked_out',
      org_id: orgId,
      data: { user_id: id, reason: 'offboarded' },
    });
    expect((await decide(call, id)).reason).toBe('user_suspended');
    expect(bench.arrivedFor(webhook)).toHaveLength(1);
  });

  it('spec 6.2: all seven types can be subscribed to', async () => {
    for (const type of EIGHT) expect((await bench.register({ events: [type] })).events).toEqual([type]);
  });
});

describe('delivery', () => {
  it('spec 3.3: an answer with 2xx makes the delivery delivered, and no further attempt is made', async () => {
    const webhook = await bench.register();
    bench.endpoint.behave(204);
    await violate();
    const { id } = await bench.delivery(webhook, ({ status }) => status === 'delivered');
    await bench.advance(3_600_000);
    const { body } = await bench.app.call('GET', `/v1/webhooks/${webhook.id}/deliveries/${id}`);
    expect(body).toMatchObject({ status: 'delivered', next_attempt_at: null });
    expect(bench.arrivedFor(webhook)).toHaveLength(1);
  });

  it.each([301, 302, 400, 410, 429, 500, 503])('is attempted again after an answer with %d', async status => {
    const webhook = await bench.register();
    bench.endpoint.behave(status);
    await violate();
    const delivery = await bench.delivery(webhook, ({ attempts }) => attempts.length === 1);
    expect(delivery).toMatchObject({ status: 'pending', next_attempt_at: expect.stringMatching(ISO_8601) });
    expect(delivery.attempts[0]).toMatchObject({ number: 1, http_status: status });
  });

  describe('to endpoints that do not answer', () => {
    let [silent, late, done]: Answer['body'][] = [];

    // Both deliveries time out after ten seconds. They run in parallel.
    beforeAll(async () => {
      const [never, secondTime] = [await bench.register(), await bench.register()];
      const behaviours = [500, 'hang'] as const;
      let asked = 0;
      bench.endpoint.behave(({ path }) => (path === never.path ? 'hang' : (behaviours[asked++] ?? 200)));
      await violate();
      await bench.delivery(secondTime, ({ attempts }) => attempts.length === 1);
      await bench.advance(1_000);
      [silent, late] = await Promise.all([
        bench.delivery(never, ({ attempts }) => attempts.length === 1),
        bench.delivery(secondTime, ({ attempts }) => attempts.length === 2),
      ]);
      await bench.app.call('DELETE', `/v1/webhooks/${never.id}`);
      await bench.advance(5_000);
      done = await bench.delivery(secondTime, ({ status }) => status === 'delivered');
    });

    it('spec 3.3: an answer other than 2xx or a timeout brings the next attempt', () => {
      expect(late.attempts[0]).toMatchObject({ http_status: 500 });
      expect(late.attempts[1]).toMatchObject({ http_status: null, error: expect.stringMatching(/^timeout/) });
      expect(done.attempts).toHaveLength(3);
    });

    it('spec 8: an endpoint has 10 seconds to answer', () => {
      expect(silent.attempts[0].duration_ms).toBeGreaterThanOrEqual(10_000);
      expect(silent.attempts[0].duration_ms).toBeLessThan(18_000);
    });
  });

  it('spec 6.3: attempts 2 to 5 follow 1, 5, 30 and 300 seconds after the one before has failed', async () => {
    const webhook = await bench.register();
    bench.endpoint.behave(500);
    await violate();
    for (const [at, delay] of [1_000, 5_000, 30_000, 300_000].entries()) {
      const waiting = await bench.delivery(webhook, ({ attempts }) => attempts.length === at + 1);
      expect(waiting.status).toBe('pending');
      // Half a second before the delay ends, no retry may have arrived.
      await bench.advance(delay - 500);
      expect(bench.arrivedFor(webhook)).toHaveLength(at + 1);
      await bench.advance(500);
    }
    const failed = await bench.delivery(webhook, ({ status }) => status === 'failed');
    expect(failed.attempts.map((attempt: { number: number }) => attempt.number)).toEqual([1, 2, 3, 4, 5]);
  });

  it('spec 3.3: the fifth failed attempt makes the delivery failed, and it can be retried by hand', async () => {
    const webhook = await bench.register();
    bench.endpoint.behave(500);
    await violate();
    for (const [at, delay] of [1_000, 5_000, 30_000, 300_000].entries()) {
      await bench.delivery(webhook, ({ attempts }) => attempts.length === at + 1);
      await bench.advance(delay);
    }
    const failed = await bench.delivery(webhook, ({ status }) => status === 'failed');
    bench.endpoint.behave('ok');
    const retry = await bench.app.call('POST', `/v1/webhooks/${webhook.id}/deliveries/${failed.id}/retry`);
    expect(retry.status).toBe(202);
    const done = await bench.delivery(webhook, ({ status }) => status === 'delivered');
    expect(done.attempts.at(-1)).toMatchObject({ number: 6, trigger: 'manual', http_status: 200 });
  });

  it('spec 8: a delivery has 5 attempts in all', async () => {
    const webhook = await bench.register();
    bench.endpoint.behave(503);
    await violate();
    for (const [at, delay] of [1_000, 5_000, 30_000, 300_000].entries()) {
      await bench.delivery(webhook, ({ attempts }) => attempts.length === at + 1);
      await bench.advance(delay);
    }
    await bench.delivery(webhook, ({ status }) => status === 'failed');
    await bench.advance(86_400_000);
    expect(bench.arrivedFor(webhook)).toHaveLength(5);
  });
});

describe('the ping', () => {
  it('spec 6.4: a test sends a ping with an id starting evt_test_, the org_id and empty data', async () => {
    const webhook = await bench.register({ events: ['device_enrolled'] });
    const event = await firstAt(webhook, () => bench.app.call('POST', `/v1/webhooks/${webhook.id}/test`));
    expect(event).toEqual({
      id: expect.stringMatching(/^evt_test_[0-9a-z]+$/),
      type: 'ping',
      created_at: expect.stringMatching(ISO_8601),
      org_id: bench.app.orgId,
      data: {},
    });
    expect(bench.arrivedFor(webhook)).toHaveLength(1);
  });
});
