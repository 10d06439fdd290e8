import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { GovernedCalls, RefusedError } from '#calls';
import { LimitUpkeep } from '#usage';
import { moveTime, type MovedTime } from '../support/moved-time.js';
import { startTestApp, type Call, type TestApp } from '../support/test-app.js';
import { until } from '../support/webhooks.js';
import { addBudget, addPerson } from './spend.support.js';

let one: TestApp;
let two: TestApp;
let time: MovedTime;

beforeAll(async () => {
  const imports = [ScheduleModule.forRoot()];
  one = await startTestApp({ imports });
  two = await startTestApp({ imports, testDatabase: one.database, orgId: one.orgId, time: one.clock });
  for (const { app } of [one, two]) {
    // Stops the scheduled upkeep, which would renew the leases of a replica that a test treats as killed. The tests run
    // the upkeep themselves.
    await app.get(SchedulerRegistry, { strict: false }).getCronJob('governance:limit-upkeep').stop();
    await app.get(LimitUpkeep, { strict: false }).run();
  }
  time = await moveTime(one.database, { standsAt: one.clock.now() });
});

afterAll(async () => {
  await two?.close();
  await one?.close();
});

interface Shop {
  orgId: string;
  call: Call;
  userId: string;
  /** Calls the API of the other replica for the same organization. */
  other: Call;
}

const MODEL = { provider: 'acme', model: 'acme-1' };

async function openShop(): Promise<Shop> {
  const { orgId, call, token } = await one.addOrganization();
  const other: Call = (method, path, body, headers) =>
    two.call(method, path, body, { ...headers, authorization: `Bearer ${token}` });
  return { orgId, call, userId: await addPerson(call, 'Sales'), other };
}

async function addLimit(call: Call, more: object): Promise<string> {
  const { status, body, text } = await call('POST', '/v1/limits', { name: 'Limit', scope: 'organization', ...more });
  if (status !== 201) throw new Error(text);
  return body.id;
}

const ask = (call: Call, userId: string, more: object = {}) =>
  call('POST', '/v1/decisions', { ...MODEL, user_id: userId, ...more });

async function allowedOf(call: Call, userId: string, times: number, more: object = {}): Promise<number> {
  const answers = await Promise.all(Array.from({ length: times }, () => ask(call, userId, more)));
  return answers.filter(({ body }) => body.allowed).length;
}

/** Advances the clocks of the replicas and of the database. */
async function later(ms: number): Promise<void> {
  one.clock.advance(ms);
  await time.advance(ms);
}

/** Runs the upkeep of both replicas twice, so that each sees which claims the other has returned. */
async function maintain(): Promise<void> {
  for (const { app } of [one, two, one, two]) await app.get(LimitUpkeep, { strict: false }).run();
}

describe('a limit of requests per minute', () => {
  it('refuses requests above it on all replicas, and says when to retry', async () => {
    const shop = await openShop();
    const id = await addLimit(shop.call, { requests_per_minute: 10 });
    const [here, there] = await Promise.all([
      allowedOf(shop.call, shop.userId, 20),
      allowedOf(shop.other, shop.userId, 20),
    ]);
    expect(here + there).toBe(10);
    const { status, body } = await ask(shop.call, shop.userId);
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { action: 'block', allowed: false, reason: 'rate_limited', limits: [{ id, name: 'Limit' }] },
    });
    expect(body.retry_after_ms).toBeGreaterThan(55_000);
    expect(body.retry_after_ms).toBeLessThanOrEqual(66_000);
    await later(body.retry_after_ms);
    expect(await allowedOf(shop.call, shop.userId, 20)).toBe(10);
  });

  it('counts each user separately if it is split, and only one model if it is for a model', async () => {
    const shop = await openShop();
    const bob = await addPerson(shop.call, 'Sales');
    await addLimit(shop.call, { requests_per_minute: 3, split_by: 'user', scope: { model: 'acme-*' } });
    expect(await allowedOf(shop.call, shop.userId, 5)).toBe(3);
    expect(await allowedOf(shop.other, bob, 5)).toBe(3);
    expect(await allowedOf(shop.call, shop.userId, 5, { model: 'other' })).toBe(5);
  });

  it('shows its usage, and ends when it is changed or deleted', async () => {
    const shop = await openShop();
    const id = await addLimit(shop.call, { requests_per_minute: 2 });
    await allowedOf(shop.call, shop.userId, 2);
    const { body } = await shop.call('GET', `/v1/limits/${id}/parts`);
    expect(body.items).toEqual([{ limit_id: id, part: '', requests: 2, tokens: 0, concurrent: 0 }]);
    expect((await shop.call('PATCH', `/v1/limits/${id}`, { requests_per_minute: 4 })).status).toBe(200);
    await later(300);
    expect(await allowedOf(shop.call, shop.userId, 9)).toBe(2);
    await shop.call('DELETE', `/v1/limits/${id}`);
    expect(await allowedOf(shop.call, shop.userId, 3)).toBe(3);
  });

  it('returns claims that a replica does not use', async () => {
    const shop = await openShop();
    const id = await addLimit(shop.call, { requests_per_minute: 4_000 });
    for (let round = 0; round < 3; round++) await allowedOf(shop.call, shop.userId, 50);
    await later(2_000);
    await maintain();
    const { body } = await shop.call('GET', `/v1/limits/${id}/parts`);
    expect(body.items).toMatchObject([{ requests: 150 }]);
  });
});

describe('a limit of tokens per minute', () => {
  it('counts the tokens that requests state, and allows smaller ones', async () => {
    const shop = await openShop();
    await addLimit(shop.call, { tokens_per_minute: 1_000 });
    const tokens = (input: number) => ({ estimated_input_tokens: input, max_output_tokens: 100 });
    expect((await ask(shop.call, shop.userId, tokens(500))).body.allowed).toBe(true);
    expect((await ask(shop.call, shop.userId, tokens(400))).body).toMatchObject({ reason: 'rate_limited' });
    expect((await ask(shop.other, shop.userId, tokens(300))).body.allowed).toBe(true);
    expect((await ask(shop.other, shop.userId, tokens(0))).body).toMatchObject({ reason: 'rate_limited' });
  });
});

describe('a limit of concurrent requests', () => {
  it('allows the next request when usage is reported, or the decision is released, on any replica', async () => {
    const shop = await openShop();
    await addLimit(shop.call, { concurrent_requests: 2 });
    const first = (await ask(shop.call, shop.userId)).body;
    const second = (await ask(shop.call, shop.userId)).body;
    expect([first.allowed, second.allowed]).toEqual([true, true]);
    expect((await ask(shop.call, shop.userId)).body).toMatchObject({ reason: 'rate_limited' });
    const at = one.clock.now().toISOString();
    const event = { id: randomUUID(), user_id: shop.userId, ...MODEL, occurred_at: at, decision_id: first.id };
    await shop.call('POST', '/v1/usage/events', { events: [{ ...event, input_tokens: 1, output_tokens: 1 }] });
    const third = (await ask(shop.call, shop.userId)).body;
    expect(third.allowed).toBe(true);
    await shop.other('POST', `/v1/decisions/${second.id}/release`);
    // Repeats the upkeep: a call does nothing while another run of the upkeep is under way.
    await until(async () => {
      await maintain();
      await later(300);
      return (await ask(shop.call, shop.userId)).body.allowed === true;
    });
    expect((await ask(shop.other, shop.userId)).body.allowed).toBe(false);
  });

  it('is shared by the replicas, and slots of a killed one are returned', async () => {
    const shop = await openShop();
    await addLimit(shop.call, { concurrent_requests: 4 });
    const [here, there] = await Promise.all([
      allowedOf(shop.call, shop.userId, 6),
      allowedOf(shop.other, shop.userId, 6),
    ]);
    expect(here + there).toBe(4);
    // The lease of the other replica expires without a renewal, as if the replica had been killed.
    await later(5_001);
    await one.app.get(LimitUpkeep, { strict: false }).run();
    expect(await allowedOf(shop.call, shop.userId, 6)).toBe(4 - here);
  });

  it('keeps no slot for a request that a budget has refused', async () => {
    const shop = await openShop();
    await addLimit(shop.call, { concurrent_requests: 1 });
    const id = await addBudget(shop.call, 0);
    expect((await ask(shop.call, shop.userId)).body).toMatchObject({ reason: 'budget_exceeded' });
    await shop.call('DELETE', `/v1/budgets/${id}`);
    expect((await ask(shop.call, shop.userId)).body.allowed).toBe(true);
  });
});

describe('a call that a limit refuses', () => {
  it('is an error with status 429 and the seconds to wait', async () => {
    const shop = await openShop();
    await addLimit(shop.call, { requests_per_minute: 1 });
    const calls = one.app.get(GovernedCalls, { strict: false });
    const request = { ...MODEL, user_id: shop.userId };
    await calls.open(shop.orgId, request);
    const refused = await calls.open(shop.orgId, request).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(RefusedError);
    expect(refused).toMatchObject({ status: 429, code: 'rate_limited', retryAfterSeconds: expect.any(Number) });
  });
});

describe('the draft of a limit', () => {
  it.each([
    [{}, 'requests_per_minute'],
    [{ requests_per_minute: 0 }, 'requests_per_minute'],
    [{ requests_per_minute: 5, scope: 'team' }, 'scope'],
    [{ requests_per_minute: 5, split_by: 'model' }, 'split_by'],
    [{ requests_per_minute: 5, scope: { user_id: '0199c2a8-6b1e-7c11-8d2f-2b90ce5512a4' } }, 'scope'],
    [{ requests_per_minute: 5, scope: { token: '0199c2a8-6b1e-7c11-8d2f-2b90ce5512a4' } }, 'scope'],
    [{ requests_per_minute: 5, scope: 'user', user_id: '0199c2a8-6b1e-7c11-8d2f-2b90ce5512a4' }, 'user_id'],
  ])('is refused with %j', async (more, field) => {
    const answer = await one.call('POST', '/v1/limits', { name: 'L', scope: 'organization', ...more });
    expect(answer).toMatchObject({ status: 400, body: { details: [{ field }] } });
  });
});

describe('a change of a limit', () => {
  it.each([
    ['a text as scope', { scope: 'user', split_by: 'token' }, ['scope', 'split_by']],
    ['conditions as scope', { scope: { project: 'chat', model: 'acme-*' }, split_by: 'user' }, ['scope']],
    ['no split', { scope: { project: 'copilot', model: 'acme-*' }, split_by: null }, ['split_by']],
  ])('is refused with %s, because scope and split are fixed', async (_, change, fields) => {
    const { call } = await openShop();
    const scope = { project: 'copilot', model: 'acme-*' };
    const terms = { name: 'L', scope, split_by: 'user', requests_per_minute: 5 };
    const { id, ...limit } = (await call('POST', '/v1/limits', terms)).body;
    const details = fields.map(field => expect.objectContaining({ field }));
    const refused = await call('PATCH', `/v1/limits/${id}`, { ...change, requests_per_minute: 6 });
    expect(refused).toMatchObject({ status: 400, body: { details: expect.arrayContaining(details) } });
    // A client may send back the fields that it has read.
    const changed = await call('PATCH', `/v1/limits/${id}`, { ...limit, requests_per_minute: 7 });
    expect(changed).toMatchObject({ status: 200, body: { scope, split_by: 'user', requests_per_minute: 7 } });
  });
});
