import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { operatorActor } from '#access';
import { EVENT_CATALOGUE, OutboxWorker } from '#outbox';
import { UserService } from '#users';
import { startEventBench, type EventBench, type Webhook } from '../contract/events.support.js';
import { startTestApp, type Answer, type Call, type TestApp } from '../support/test-app.js';
import { LOOPBACK_ALLOWED, registerWebhook, until } from '../support/webhooks.js';

const DAY_MS = 86_400_000;

let bench: EventBench;
const replicas: TestApp[] = [];

beforeAll(async () => {
  bench = await startEventBench();
});

afterEach(async () => {
  for (const replica of replicas.splice(0)) await replica.close();
});

afterAll(() => bench?.close());

/** An organization with a webhook for lockouts. */
interface Scene {
  orgId: string;
  call: Call;
  hook: Webhook;
}

async function scene(): Promise<Scene> {
  const { orgId, call } = await bench.app.addOrganization();
  const path = `/lockouts/${orgId}`;
  const url = bench.endpoint.url.replace(/\/$/, path);
  const webhook = await registerWebhook(call, { url, events: ['user_locked_out'] });
  return { orgId, call, hook: { ...webhook, path } };
}

async function hire(call: Call, name = 'ada'): Promise<string> {
  return (await call('POST', '/v1/users', { email: `${name}@example.com`, name })).body.id;
}

const dayAhead = (days: number): string =>
  new Date(bench.app.clock.now().getTime() + days * DAY_MS).toISOString().slice(0, 10);
const userOf = async (call: Call, id: string): Promise<Answer['body']> => (await call('GET', `/v1/users/${id}`)).body;
const offboard = (call: Call, id: string, body?: object): Promise<Answer> =>
  call('POST', `/v1/users/${id}/offboard`, body);
const eventsAt = ({ hook }: Scene): Answer['body'][] =>
  bench.arrivedFor(hook).map(({ body }) => JSON.parse(body.toString()));

/** Waits until this many events have arrived and no task is left. Returns the events. */
async function arrived(at: Scene, count: number): Promise<Answer['body'][]> {
  await until(async () => eventsAt(at).length >= count);
  await idle();
  return eventsAt(at);
}

/** Runs all due tasks. */
async function idle(): Promise<void> {
  await until(async () => {
    const [row] = await bench.app.database.asOwner<{ due: number }>(
      'select count(*)::int as due from governance.tasks where due_at <= governance.now() or lease_token is not null',
    );
    return row?.due === 0;
  });
}

/** Advances the time of all replicas. */
async function pass(days: number): Promise<void> {
  await bench.advance(days * DAY_MS);
  for (const replica of replicas) replica.app.get(OutboxWorker).wake();
  await idle();
}

async function addReplica(): Promise<TestApp> {
  const { database: testDatabase, orgId, clock: time } = bench.app;
  const replica = await startTestApp({ ...LOOPBACK_ALLOWED, testDatabase, orgId, time });
  replicas.push(replica);
  return replica;
}

describe('user_locked_out', () => {
  const entry = EVENT_CATALOGUE.find(({ type }) => type === 'user_locked_out');
  const ajv = new Ajv2020();
  addFormats.default(ajv);
  const isValid = ajv.compile(entry?.schema ?? {});

  it('arrives once at a TLS endpoint, with the given reason', async () => {
    const at = await scene();
    const id = await hire(at.call);
    await offboard(at.call, id, { reason: 'Left for a competitor' });
    const [event, ...others] = await arrived(at, 1);
    expect(others).toEqual([]);
    expect(event).toMatchObject({ type: 'user_locked_out', org_id: at.orgId });
    expect(isValid(event.data)).toBe(true);
    expect(event.data).toEqual({
      user_id: id,
      email: 'ada@example.com',
      reason: 'Left for a competitor',
      locked_out_at: bench.app.clock.now().toISOString(),
    });
  });

  it.each([
    ['offboarding', 'scim', 'offboarded'],
    ['scim', 'offboarding', 'deprovisioned'],
  ] as const)('is sent for a suspension by %s, and not for a second one by %s', async (first, second, reason) => {
    const at = await scene();
    const id = await hire(at.call);
    const users = bench.app.app.get(UserService);
    await users.suspend(operatorActor(at.orgId), id, first);
    await users.suspend(operatorActor(at.orgId), id, second);
    await users.reinstate(operatorActor(at.orgId), id, first);
    const events = await arrived(at, 1);
    expect(events.map(({ data }) => data.reason)).toEqual([reason]);
    await users.reinstate(operatorActor(at.orgId), id, second);
    await users.suspend(operatorActor(at.orgId), id, second);
    expect(await arrived(at, 2)).toHaveLength(2);
  });

  it('is not sent if the suspension is refused', async () => {
    const at = await scene();
    const id = await hire(at.call);
    await offboard(at.call, id);
    expect((await offboard(at.call, id)).status).toBe(409);
    expect(await arrived(at, 1)).toHaveLength(1);
  });
});

describe('a planned offboarding', () => {
  it('takes effect on its day, by one of three replicas, once', async () => {
    const at = await scene();
    const others = [await addReplica(), await addReplica()];
    const ids = await Promise.all(['ada', 'bob', 'cyd'].map(name => hire(at.call, name)));
    for (const id of ids) await offboard(at.call, id, { departure_date: dayAhead(2), reason: 'End of contract' });
    await pass(1);
    for (const id of ids) expect((await userOf(at.call, id)).status).toBe('active');
    expect(eventsAt(at)).toEqual([]);
    await pass(1);
    const events = await arrived(at, 3);
    expect(events.map(({ data }): string => data.user_id).toSorted()).toEqual(ids.toSorted());
    expect(new Set(events.map(({ data }) => data.reason))).toEqual(new Set(['End of contract']));
    for (const id of ids) {
      expect(await userOf(at.call, id)).toMatchObject({ status: 'suspended', suspension_causes: ['offboarding'] });
      for (const replica of others) {
        const decision = { user_id: id, provider: 'openai', model: 'gpt-4o' };
        await until(async () => {
          const { body } = await replica.as(await tokenOf(at))('POST', '/v1/decisions', decision);
          return body.reason === 'user_suspended';
        }, 1_000);
      }
    }
    const audited = await bench.app.database.asOwner(
      `select actor_id from governance.audit_log where org_id = $1 and action = 'user.suspended'`,
      [at.orgId],
    );
    expect(audited).toEqual(ids.map(() => ({ actor_id: 'planned offboarding' })));
  });

  it('takes effect after a downtime, as soon as one replica runs', async () => {
    const stage = await startTestApp({ outbox: { workers: false } });
    try {
      const id = await hire(stage.call);
      await offboard(stage.call, id, { departure_date: new Date(stage.clock.now().getTime() + 500).toISOString() });
      stage.clock.advance(DAY_MS);
      await new Promise(done => setTimeout(done, 500));
      expect((await userOf(stage.call, id)).status).toBe('active');
      const back = await startTestApp({ testDatabase: stage.database, orgId: stage.orgId, time: stage.clock });
      try {
        await until(async () => (await userOf(stage.call, id)).status === 'suspended');
      } finally {
        await back.close();
      }
    } finally {
      await stage.close();
    }
  });

  it('has no effect on its previous day if it was postponed, canceled or lifted', async () => {
    const at = await scene();
    const [late, stays, lifted] = await Promise.all(['late', 'stays', 'lifted'].map(name => hire(at.call, name)));
    for (const id of [late, stays, lifted]) await offboard(at.call, id!, { departure_date: dayAhead(1) });
    await offboard(at.call, late!, { departure_date: dayAhead(3) });
    expect((await at.call('DELETE', `/v1/users/${stays}/offboard`)).status).toBe(204);
    expect((await at.call('POST', `/v1/users/${lifted}/reinstate`)).body).toMatchObject({ departure_date: null });
    await pass(2);
    for (const id of [late, stays, lifted]) expect((await userOf(at.call, id!)).status).toBe('active');
    await pass(1);
    expect((await arrived(at, 1)).map(({ data }) => data.user_id)).toEqual([late]);
    for (const id of [stays, lifted]) expect((await userOf(at.call, id!)).status).toBe('active');
  });

  it('takes effect on an earlier day if it is moved there, and not again on the previous one', async () => {
    const at = await scene();
    const id = await hire(at.call);
    await offboard(at.call, id, { departure_date: dayAhead(5) });
    await offboard(at.call, id, { departure_date: dayAhead(1) });
    await pass(1);
    expect(await arrived(at, 1)).toHaveLength(1);
    await at.call('POST', `/v1/users/${id}/reinstate`);
    await pass(5);
    expect(eventsAt(at)).toHaveLength(1);
    expect((await userOf(at.call, id)).status).toBe('active');
  });

  it('begins with the day in the organization’s time zone, also if the zone changes', async () => {
    const at = await scene();
    const id = await hire(at.call);
    const fixed = await hire(at.call, 'fixed');
    await at.call('PATCH', '/v1/organization', { time_zone: 'Asia/Tokyo' });
    const day = dayAhead(9);
    const planned = (await offboard(at.call, id, { departure_date: day })).body;
    expect(planned.departs_at).toBe(new Date(Date.parse(`${day}T00:00:00Z`) - 9 * 3_600_000).toISOString());
    await offboard(at.call, fixed, { departure_date: `${day}T00:00:00Z` });
    await at.call('PATCH', '/v1/organization', { time_zone: 'UTC' });
    expect(await userOf(at.call, id)).toMatchObject({ departure_date: day, departs_at: `${day}T00:00:00.000Z` });
    expect(await userOf(at.call, fixed)).toMatchObject({ departs_at: `${day}T00:00:00.000Z` });
    const [task] = await bench.app.database.asOwner<{ in_ms: number }>(
      `select extract(epoch from due_at - governance.now())::float8 * 1000 as in_ms from governance.tasks where id = $1`,
      [id],
    );
    const waitMs = Date.parse(`${day}T00:00:00Z`) - bench.app.clock.now().getTime();
    expect(Math.abs((task?.in_ms ?? 0) - waitMs)).toBeLessThan(60_000);
  });

  it.each([1, 30])('waits if its day began %d hours ago and begins again in another zone', async hours => {
    const stage = await startTestApp({ outbox: { workers: false } });
    try {
      const id = await hire(stage.call);
      await stage.call('PATCH', '/v1/organization', { time_zone: 'Pacific/Kiritimati' });
      const day = new Date(stage.clock.now().getTime() + 5 * DAY_MS).toISOString().slice(0, 10);
      const { departs_at: there } = (await offboard(stage.call, id, { departure_date: day })).body;
      // The day has begun, but no replica runs the offboarding yet. The organization then moves to a zone in which the
      // same day begins 25 hours later.
      stage.clock.advance(Date.parse(there) - stage.clock.now().getTime() + hours * 3_600_000);
      await stage.call('PATCH', '/v1/organization', { time_zone: 'Pacific/Pago_Pago' });
      const here = new Date(Date.parse(there) + 25 * 3_600_000).toISOString();
      expect(await userOf(stage.call, id)).toMatchObject({ status: 'active', departs_at: here });
    } finally {
      await stage.close();
    }
  });

  it('waits for the clock of the machine that runs it', async () => {
    const at = await scene();
    const id = await hire(at.call);
    await offboard(at.call, id, { departure_date: dayAhead(1) });
    // Advances only the clock of the database.
    await bench.time.advance(DAY_MS);
    bench.app.app.get(OutboxWorker).wake();
    await idle();
    expect((await userOf(at.call, id)).status).toBe('active');
    bench.app.clock.advance(DAY_MS);
    await pass(1);
    expect((await userOf(at.call, id)).status).toBe('suspended');
  });

  it('takes effect once if several concurrent requests planned it', async () => {
    const at = await scene();
    const id = await hire(at.call);
    const answers = await Promise.all(
      [1, 2, 3, 4].map(days => offboard(at.call, id, { departure_date: dayAhead(days) })),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    await pass(5);
    expect(await arrived(at, 1)).toHaveLength(1);
  });
});

async function tokenOf({ call }: Scene): Promise<string> {
  return (await call('POST', '/v1/tokens', { name: 'Decider', role: 'admin' })).body.token;
}
