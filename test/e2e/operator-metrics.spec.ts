import { randomUUID } from 'node:crypto';
import { metrics } from '@opentelemetry/api';
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { until } from '../support/webhooks.js';

let app: TestApp;
let provider: MeterProvider;
const exporter = new PrometheusExporter({ preventServerStart: true });

beforeAll(async () => {
  provider = new MeterProvider({ readers: [exporter] });
  metrics.setGlobalMeterProvider(provider);
  app = await startTestApp({ egress: { allow: ['127.0.0.1'] } });
});

afterAll(async () => {
  await app?.close();
  metrics.disable();
  await provider?.shutdown();
});

/**
 * Reads all metrics once. Returns a function that returns the value of a metric whose line contains a text, such as a
 * label.
 */
async function look(): Promise<(name: string, label?: string) => number | undefined> {
  const { resourceMetrics, errors } = await exporter.collect();
  expect(errors).toEqual([]);
  const lines = new PrometheusSerializer().serialize(resourceMetrics).split('\n');
  return (name, label = '') => {
    const line = lines.find(each => each.startsWith(name) && each.includes(label));
    return line === undefined ? undefined : Number(line.split(' ').at(-1));
  };
}

async function read(name: string, label?: string): Promise<number | undefined> {
  return (await look())(name, label);
}

describe('operator metrics', () => {
  it('count tokens that expire within seven days, of all organizations', async () => {
    const before = await read('governance_tokens_expiring');
    const inDays = (days: number): string => new Date(app.clock.now().getTime() + days * 86_400_000).toISOString();
    for (const days of [3, 30]) {
      const { call } = await app.addOrganization();
      const { status } = await call('POST', '/v1/tokens', { name: 'ci', role: 'agent', expires_at: inDays(days) });
      expect(status).toBe(201);
    }
    expect(await read('governance_tokens_expiring')).toBe((before ?? 0) + 1);
  });

  it('report ungoverned calls as 0 from the start, so that the first one is an increase', async () => {
    for (const stage of ['decision', 'cover', 'settlement']) {
      expect(await read('governance_calls_open_passes', `"${stage}"`)).toBe(0);
    }
  });

  it('count budgets whose current window is used up', async () => {
    const { call } = await app.addOrganization();
    const { body: user } = await call('POST', '/v1/users', { email: `${randomUUID()}@example.com`, name: 'Ada' });
    const budget = { scope: 'organization', period: 'monthly', enforcement: 'notify' };
    await call('POST', '/v1/budgets', { ...budget, name: 'small', amount_usd: 10 });
    await call('POST', '/v1/budgets', { ...budget, name: 'large', amount_usd: 13 });
    const event = { id: randomUUID(), user_id: user.id, provider: 'openai', model: 'gpt-4o', cost_usd: 11 };
    const tokens = { input_tokens: 1, output_tokens: 1, occurred_at: app.clock.now().toISOString() };
    await call('POST', '/v1/usage/events', { events: [{ ...event, ...tokens }] });
    expect(await read('governance_budgets_spent', 'exceeded')).toBe(1);
    expect(await read('governance_budgets_spent', 'warned')).toBe(1);
  });

  it('show the number of overdue tasks of each queue, their delay, and the dead-lettered ones', async () => {
    const { orgId } = await app.addOrganization();
    expect(await read('governance_tasks_waiting', '"itsm"')).toBe(0);
    const put = (quarantined: boolean): Promise<unknown> =>
      app.database.asOwner(
        `insert into governance.tasks (org_id, id, queue, key, due_at, attempt, subject, quarantined_at)
         values ($1, $2, 'nobody', 'k', governance.now() - interval '90 s', 1, '{}', case when $3 then now() end)`,
        [orgId, randomUUID(), quarantined],
      );
    await put(false);
    await put(true);
    // Waits for the new figures, because figures are cached for five seconds.
    for (let tries = 0; tries < 100 && (await read('governance_tasks_waiting', '"nobody"')) === undefined; tries++) {
      await new Promise(done => setTimeout(done, 200));
    }
    expect(await read('governance_tasks_waiting', '"nobody"')).toBe(1);
    expect(await read('governance_tasks_dead', '"nobody"')).toBe(1);
    expect(await read('governance_tasks_oldest_age', '"nobody"')).toBeGreaterThan(89);
  });

  it('show the connections of the process', async () => {
    const seen = await look();
    const max = seen('db_client_connection_max');
    const used = seen('db_client_connection_count', '"used"');
    const idle = seen('db_client_connection_count', '"idle"');
    expect(max).toBeGreaterThan(0);
    expect((used ?? 0) + (idle ?? 0)).toBeGreaterThan(0);
    expect(max).toBeGreaterThanOrEqual((used ?? 0) + (idle ?? 0));
    expect(seen('db_client_connection_pending_requests')).toBeGreaterThanOrEqual(0);
  });

  it('count deliveries and tickets that their targets refuse', async () => {
    const [delivery, ticket] = ['governance_webhook_attempts', 'governance_itsm_attempts'];
    expect([await read(delivery, '"retry"'), await read(ticket, '"pending"')]).toEqual([0, 0]);
    const { call } = await app.addOrganization();
    // No process listens there.
    const url = 'https://127.0.0.1:9';
    const desk = { name: 'Desk', kind: 'servicenow', settings: { instance_url: url } };
    for (const [path, body] of Object.entries({
      users: { email: 'ada@example.com', name: 'Ada' },
      policies: { name: 'Refuse', action: 'block' },
      webhooks: { url, events: ['policy_violation'] },
      'itsm/connectors': { ...desk, secrets: { username: 'a', password: 'b' } },
      decisions: { user_email: 'ada@example.com', provider: 'openai', model: 'gpt-4o' },
    })) {
      expect((await call('POST', `/v1/${path}`, body)).status).toBeLessThan(300);
    }
    await until(
      async () => ((await read(delivery, '"retry"')) ?? 0) > 0 && ((await read(ticket, '"pending"')) ?? 0) > 0,
    );
  });
});
