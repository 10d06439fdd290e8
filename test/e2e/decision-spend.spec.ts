import { randomUUID } from 'node:crypto';
import { MikroORM } from '@mikro-orm/postgresql';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Governance, type UsageEventInput } from '#governance';
import { startTestApp, type Call, type TestApp } from '../support/test-app.js';

/** An organization with one user and a fixed price: a dollar per million tokens, for both input and output. */
interface Shop {
  orgId: string;
  call: Call;
  userId: string;
}

const MODEL = { provider: 'acme', model: 'acme-1' };
/** 30 cents: 100,000 input tokens, 200,000 output tokens. */
const THIRTY_CENTS = { estimated_input_tokens: 100_000, max_output_tokens: 200_000 };

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.close());

async function shop(): Promise<Shop> {
  const { orgId, call } = await app.addOrganization();
  const user = await call('POST', '/v1/users', {
    email: `${randomUUID()}@example.com`,
    name: 'Ada',
    department: 'Sales',
  });
  const terms = { ...MODEL, input_per_million_usd: 1, output_per_million_usd: 1 };
  expect((await call('PUT', '/v1/prices', terms)).status).toBe(200);
  return { orgId, call, userId: user.body.id };
}

async function budget(call: Call, amount: number, more: object = {}): Promise<string> {
  const { status, body, text } = await call('POST', '/v1/budgets', {
    name: 'All of us',
    scope: 'organization',
    amount_usd: amount,
    period: 'monthly',
    enforcement: 'block',
    ...more,
  });
  if (status !== 201) throw new Error(text);
  return body.id;
}

async function state(call: Call, id: string): Promise<{ spent: number; reserved: number; remaining: number }> {
  const { body } = await call('GET', `/v1/budgets/${id}`);
  return { spent: body.spent_usd, reserved: body.reserved_usd, remaining: body.remaining_usd };
}

function usageOf(decisionId: string, userId: string, tokens: [number, number]): UsageEventInput {
  const [input_tokens, output_tokens] = tokens;
  const at = { occurred_at: app.clock.now().toISOString(), user_id: userId, decision_id: decisionId };
  return { id: randomUUID(), ...MODEL, ...at, input_tokens, output_tokens };
}

describe('a decision under a blocking budget', () => {
  it('reserves its estimate, which the usage of the call settles', async () => {
    const { call, userId } = await shop();
    const id = await budget(call, 1);
    const { body } = await call('POST', '/v1/decisions', { ...MODEL, ...THIRTY_CENTS, user_id: userId });
    expect(body).toMatchObject({ action: 'allow', allowed: true, reservation: { id: body.id, amount_usd: 0.3 } });
    const life = Date.parse(body.reservation.expires_at) - Date.now();
    expect(life).toBeGreaterThan(14 * 60_000);
    expect(life).toBeLessThan(16 * 60_000);
    expect(await state(call, id)).toEqual({ spent: 0, reserved: 0.3, remaining: 0.7 });

    const usage = await call('POST', '/v1/usage/events', { events: [usageOf(body.id, userId, [100_000, 50_000])] });
    expect(usage.body.accepted).toBe(1);
    expect(await state(call, id)).toEqual({ spent: 0.15, reserved: 0, remaining: 0.85 });
  });

  it('reserves at the price of its tier and region', async () => {
    const { call, userId } = await shop();
    const price = { ...MODEL, input_per_million_usd: 1, output_per_million_usd: 1 };
    await call('PUT', '/v1/prices', { ...price, service_tier: 'batch', output_per_million_usd: 0.5 });
    await call('PUT', '/v1/prices', { ...price, region: 'eu', output_per_million_usd: 2 });
    await budget(call, 100);
    const reserved = async (terms: object) => {
      const { body } = await call('POST', '/v1/decisions', { ...MODEL, ...THIRTY_CENTS, ...terms, user_id: userId });
      return body.reservation?.amount_usd;
    };
    expect(await reserved({ service_tier: 'batch' })).toBe(0.2);
    expect(await reserved({ service_tier: 'standard', region: 'EU' })).toBe(0.5);
    // A tier without a price reserves at the standard price.
    expect(await reserved({ service_tier: 'priority' })).toBe(0.3);
    const refused = await call('POST', '/v1/decisions', { ...MODEL, service_tier: 'gold', user_id: userId });
    expect([refused.status, refused.body.details[0].field]).toEqual([400, 'service_tier']);
  });

  it('is refused if its estimate does not fit, and names the budgets that are used up', async () => {
    const { call, userId } = await shop();
    const small = await budget(call, 0.2, { name: 'Sales', scope: 'department', department: 'Sales' });
    const large = await budget(call, 10);
    const { body } = await call('POST', '/v1/decisions', { ...MODEL, ...THIRTY_CENTS, user_id: userId });
    expect(body).toMatchObject({
      action: 'block',
      allowed: false,
      reason: 'budget_exceeded',
      budgets: [{ id: small, name: 'Sales' }],
    });
    expect(body.reservation).toBeUndefined();
    // A decision reserves in all of its budgets or in none. The large budget therefore has no reservation.
    expect(await state(call, large)).toEqual({ spent: 0, reserved: 0, remaining: 10 });
    const recorded = await call('GET', `/v1/decisions/${body.id}`);
    expect(recorded.body).toMatchObject({ reason: 'budget_exceeded', budgets: [{ id: small, name: 'Sales' }] });
  });

  it('reserves nothing if a policy already refuses it', async () => {
    const { call, userId } = await shop();
    await call('POST', '/v1/policies', { name: 'Never', action: 'block' });
    const id = await budget(call, 1);
    const { body } = await call('POST', '/v1/decisions', { ...MODEL, ...THIRTY_CENTS, user_id: userId });
    expect(body).toMatchObject({ allowed: false, reason: 'policy' });
    expect(await state(call, id)).toEqual({ spent: 0, reserved: 0, remaining: 1 });
  });

  it('is the same decision for the same idempotency key, and reserves once', async () => {
    const { call, userId } = await shop();
    const id = await budget(call, 1);
    const request = { ...MODEL, ...THIRTY_CENTS, user_id: userId, idempotency_key: randomUUID() };
    const answers = await Promise.all(Array.from({ length: 8 }, () => call('POST', '/v1/decisions', request)));
    const [first] = answers;
    for (const answer of answers) expect(answer.body).toEqual(first!.body);
    expect(first!.body.reservation.amount_usd).toBe(0.3);
    expect(await state(call, id)).toEqual({ spent: 0, reserved: 0.3, remaining: 0.7 });
    expect((await call('POST', '/v1/decisions', request)).body).toEqual(first!.body);
  });

  it('is not refused because of its own reservation when it is repeated, and sends no budget alert', async () => {
    const { orgId, call, userId } = await shop();
    // The amount suffices for one request.
    await budget(call, 0.3);
    const request = { ...MODEL, ...THIRTY_CENTS, user_id: userId, idempotency_key: randomUUID() };
    const answers = await Promise.all(Array.from({ length: 8 }, () => call('POST', '/v1/decisions', request)));
    expect(answers.map(({ body }) => body.allowed)).toEqual(Array.from({ length: 8 }, () => true));
    const [events] = await app.database.asOwner<{ n: number }>(
      `select count(*)::integer as n from governance.events where org_id = '${orgId}' and type = 'budget_exceeded'`,
    );
    expect(events!.n).toBe(0);
    const other = await call('POST', '/v1/decisions', { ...request, model: 'acme-2' });
    expect(other.status).toBe(409);
  });

  it('never reserves more in total than the amount, also within one batch', async () => {
    const { call, userId } = await shop();
    const id = await budget(call, 1);
    const requests = Array.from({ length: 20 }, () => ({ ...MODEL, ...THIRTY_CENTS, user_id: userId }));
    const { body } = await call('POST', '/v1/decisions/batch', { requests });
    const allowed = body.decisions.filter((decision: { allowed: boolean }) => decision.allowed);
    expect(allowed).toHaveLength(3);
    expect(await state(call, id)).toMatchObject({ spent: 0, reserved: 0.9 });
  });

  it('releases its reservation on request, once', async () => {
    const { call, userId } = await shop();
    const id = await budget(call, 1);
    const { body } = await call('POST', '/v1/decisions', { ...MODEL, ...THIRTY_CENTS, user_id: userId });
    const release = () => call('POST', `/v1/decisions/${body.id}/release`);
    expect(await release()).toMatchObject({ status: 200, body: { decision_id: body.id, released_usd: 0.3 } });
    expect(await release()).toMatchObject({ status: 200, body: { decision_id: body.id, released_usd: 0 } });
    expect(await state(call, id)).toEqual({ spent: 0, reserved: 0, remaining: 1 });
    expect((await call('POST', `/v1/decisions/${randomUUID()}/release`)).status).toBe(404);
  });

  it('is not refused by a budget that only notifies', async () => {
    const { call, userId } = await shop();
    const id = await budget(call, 0.1, { enforcement: 'notify' });
    const { body } = await call('POST', '/v1/decisions', { ...MODEL, ...THIRTY_CENTS, user_id: userId });
    expect(body.allowed).toBe(true);
    expect(body.reservation).toBeUndefined();
    await call('POST', '/v1/usage/events', { events: [usageOf(body.id, userId, [100_000, 50_000])] });
    expect(await state(call, id)).toEqual({ spent: 0.15, reserved: 0, remaining: 0 });
  });
});

describe('a decision in a transaction of the host', () => {
  let orm: MikroORM;

  beforeAll(async () => {
    orm = await MikroORM.init({ clientUrl: app.database.url, entities: [], discovery: { warnWhenNoEntities: false } });
  });

  afterAll(() => orm?.close(true));

  it('exists with its reservation and its events when that transaction commits', async () => {
    const { orgId, call, userId } = await shop();
    await call('POST', '/v1/policies', { name: 'Watch', action: 'alert' });
    const id = await budget(call, 1);
    const governance = app.app.get(Governance);
    const request = { ...MODEL, ...THIRTY_CENTS, user_id: userId, idempotency_key: randomUUID() };
    const made = await orm.em.fork().transactional(async em => {
      const decision = await governance.decide(orgId, request, { em });
      expect((await call('GET', `/v1/decisions/${decision.id}`)).status).toBe(404);
      await governance.recordUsage(orgId, [usageOf(decision.id, userId, [1_000, 1_000])], { em });
      return decision;
    });
    expect(made).toMatchObject({ action: 'alert', allowed: true, reservation: { amount_usd: 0.3 } });
    expect((await call('GET', `/v1/decisions/${made.id}`)).body).toMatchObject({
      id: made.id,
      reservation: made.reservation,
    });
    expect(await state(call, id)).toEqual({ spent: 0.002, reserved: 0, remaining: 0.998 });
    const [events] = await app.database.asOwner<{ n: number }>(
      `select count(*)::integer as n from governance.events where org_id = '${orgId}' and type = 'policy_violation'`,
    );
    expect(events!.n).toBe(1);
    const again = await orm.em.fork().transactional(em => governance.decide(orgId, request, { em }));
    expect(again).toEqual(made);
  });

  it('leaves nothing if that transaction is rolled back', async () => {
    const { orgId, call, userId } = await shop();
    const id = await budget(call, 1);
    const governance = app.app.get(Governance);
    let decisionId = '';
    const undone = orm.em.fork().transactional(async em => {
      const decision = await governance.decide(orgId, { ...MODEL, ...THIRTY_CENTS, user_id: userId }, { em });
      decisionId = decision.id;
      throw new Error('the host thought better of it');
    });
    await expect(undone).rejects.toThrow('better');
    expect((await call('GET', `/v1/decisions/${decisionId}`)).status).toBe(404);
    expect(await state(call, id)).toEqual({ spent: 0, reserved: 0, remaining: 1 });
  });

  it('is the other decision if its idempotency key was taken meanwhile, and then reserves nothing', async () => {
    const { orgId, call, userId } = await shop();
    const id = await budget(call, 1);
    const governance = app.app.get(Governance);
    const request = { ...MODEL, ...THIRTY_CENTS, user_id: userId, idempotency_key: randomUUID() };
    const decide = () => orm.em.fork().transactional(em => governance.decide(orgId, request, { em }));
    const [one, other] = await Promise.all([decide(), decide()]);
    expect(other).toEqual(one);
    expect(await state(call, id)).toEqual({ spent: 0, reserved: 0.3, remaining: 0.7 });
  });

  it('refuses an invalid request before it reads anything', async () => {
    await expect(app.app.get(Governance).decide(app.orgId, { model: 'm' } as never)).rejects.toThrow(
      'provider: is required',
    );
  });
});
