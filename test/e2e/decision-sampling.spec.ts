import { randomUUID } from 'node:crypto';
import { metrics, type Counter, type MeterProvider } from '@opentelemetry/api';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OrgDatabase } from '#database';
import { Governance } from '#governance';
import { startTestApp, type Answer, type Call, type TestApp } from '../support/test-app.js';

const SHARE = 0.25;
const MODEL = { provider: 'openai', model: 'gpt-4o' };

let app: TestApp;
/** The value of each counter, over all its attributes. */
const counted = new Map<string, number>();

/** Collects the counters, and ignores other metrics. */
const silent = metrics.getMeter('silent');
const provider: MeterProvider = {
  getMeter: () =>
    Object.assign(Object.create(silent), {
      createCounter: (name: string): Counter => ({
        add: value => counted.set(name, (counted.get(name) ?? 0) + value),
      }),
    }),
};

beforeAll(async () => {
  metrics.setGlobalMeterProvider(provider);
  app = await startTestApp({ decisions: { sampleAllowed: SHARE } });
});

afterAll(async () => {
  await app?.close();
  metrics.disable();
});

async function organization(policy?: object): Promise<{ orgId: string; call: Call; user_id: string }> {
  const { orgId, call } = await app.addOrganization();
  const user = await call('POST', '/v1/users', { email: `${randomUUID()}@example.com`, name: 'Ada' });
  if (policy) expect((await call('POST', '/v1/policies', { name: 'p', ...policy })).status).toBe(201);
  return { orgId, call, user_id: user.body.id };
}

/** Decisions of one batch of 100, as they were answered. */
async function decide(call: Call, request: (at: number) => object): Promise<Answer['body'][]> {
  const requests = Array.from({ length: 100 }, (_, at) => ({ ...MODEL, ...request(at) }));
  return (await call('POST', '/v1/decisions/batch', { requests })).body.decisions;
}

const recorded = async (call: Call): Promise<Answer['body'][]> =>
  (await call('GET', '/v1/decisions?limit=100')).body.items;
const ids = (decisions: { id: string }[]) => decisions.map(({ id }) => id).toSorted();
const isInSample = ({ id }: { id: string }) => parseInt(id.slice(-12), 16) / 2 ** 48 < SHARE;

describe('decisions that allow a call', () => {
  it.each([
    ['no_policy_matched', undefined],
    ['policy', { action: 'allow' }],
  ])('are recorded as a sample and all counted if the reason is %s', async (reason, policy) => {
    const { call, user_id } = await organization(policy);
    counted.clear();
    const decisions = await decide(call, () => ({ user_id }));
    expect(new Set(decisions.map(decision => decision.reason))).toEqual(new Set([reason]));
    const records = await recorded(call);
    expect(ids(records)).toEqual(ids(decisions.filter(isInSample)));
    expect(new Set(records.map(record => record.sample_rate))).toEqual(new Set([SHARE]));
    expect(counted.get('governance.decisions')).toBe(100);
    expect(counted.get('governance.decision_records.left_out')).toBe(100 - records.length);
  });

  it('are answered with 404 and the reason if they were not recorded, and can still be released', async () => {
    const { call, user_id } = await organization();
    const decisions = await decide(call, () => ({ user_id }));
    const left = decisions.find(decision => !isInSample(decision));
    const kept = decisions.find(isInSample);
    const missing = await call('GET', `/v1/decisions/${left.id}`);
    expect(missing).toMatchObject({ status: 404, body: { error: 'not_found' } });
    expect(missing.body.message).toContain('the recorded share is 0.25');
    expect((await call('GET', `/v1/decisions/${kept.id}`)).body).toMatchObject({ ...kept, sample_rate: SHARE });
    for (const { id } of [left, kept]) {
      const { status, body } = await call('POST', `/v1/decisions/${id}/release`);
      expect({ status, body }).toEqual({ status: 200, body: { decision_id: id, released_usd: 0 } });
    }
    const unknown = `${left.id.slice(0, -12)}000000000000`;
    expect((await call('POST', `/v1/decisions/${unknown}/release`)).status).toBe(404);
  });

  it('are all recorded if they have a reservation in a budget', async () => {
    const { call, user_id } = await organization();
    await call('PUT', '/v1/prices', { ...MODEL, input_per_million_usd: 1, output_per_million_usd: 1 });
    const budget = { name: 'All', scope: 'organization', amount_usd: 1_000, period: 'monthly', enforcement: 'block' };
    expect((await call('POST', '/v1/budgets', budget)).status).toBe(201);
    const decisions = await decide(call, () => ({ user_id }));
    expect(decisions.every(({ reservation }) => reservation !== undefined)).toBe(true);
    const records = await recorded(call);
    expect(ids(records)).toEqual(ids(decisions));
    expect(new Set(records.map(record => record.sample_rate))).toEqual(new Set([1]));
  });

  it('are all recorded if they have an idempotency key, and stay one decision each', async () => {
    const { call, user_id } = await organization();
    const keyed = (at: number) => ({ user_id, idempotency_key: `k${at}` });
    const decisions = await decide(call, keyed);
    expect(ids(await decide(call, keyed))).toEqual(ids(decisions));
    expect(ids(await recorded(call))).toEqual(ids(decisions));
  });

  it('are all recorded if a grant allows them', async () => {
    const { call, user_id } = await organization({ action: 'require_approval' });
    const { body } = await call('POST', '/v1/decisions', { ...MODEL, user_id });
    expect((await call('POST', `/v1/approvals/${body.approval_id}/approve`, { reason: 'r' })).status).toBe(200);
    const decisions = (await decide(call, () => ({ user_id }))).slice(0, 99);
    expect(new Set(decisions.map(({ reason }) => reason))).toEqual(new Set(['approval_granted']));
    expect(ids(await recorded(call))).toEqual(expect.arrayContaining(ids(decisions.slice(1))));
    expect((await call('GET', '/v1/decisions')).body.total_count).toBe(101);
  });

  it('are recorded as a sample in a transaction of the host, too', async () => {
    const { orgId, call, user_id } = await organization();
    const governance = app.app.get(Governance);
    const decisions = await app.app
      .get(OrgDatabase)
      .orm.em.fork()
      .transactional(async em => {
        const made = [];
        for (let at = 0; at < 40; at++) made.push(await governance.decide(orgId, { ...MODEL, user_id }, { em }));
        return made;
      });
    expect(ids(await recorded(call))).toEqual(ids(decisions.filter(isInSample)));
  });
});

describe('every decision is recorded', () => {
  it.each(['block', 'alert', 'require_approval'])('that a policy answers with %s', async action => {
    const { call, user_id } = await organization({ action });
    const decisions = await decide(call, () => ({ user_id }));
    expect(ids(await recorded(call))).toEqual(ids(decisions));
  });

  it('that is refused because of its user', async () => {
    const { call } = await organization();
    const decisions = await decide(call, () => ({ user_id: randomUUID() }));
    expect(decisions[0]).toMatchObject({ reason: 'unknown_user' });
    expect(ids(await recorded(call))).toEqual(ids(decisions));
  });

  it('that a budget refuses', async () => {
    const { call, user_id } = await organization();
    await call('PUT', '/v1/prices', { ...MODEL, input_per_million_usd: 1, output_per_million_usd: 1 });
    const budget = {
      name: 'None',
      scope: 'organization',
      amount_usd: 0.000001,
      period: 'monthly',
      enforcement: 'block',
    };
    expect((await call('POST', '/v1/budgets', budget)).status).toBe(201);
    const decisions = await decide(call, () => ({ user_id, max_output_tokens: 1_000 }));
    expect(new Set(decisions.map(({ reason }) => reason))).toEqual(new Set(['budget_exceeded']));
    expect(ids(await recorded(call))).toEqual(ids(decisions));
  });
});
