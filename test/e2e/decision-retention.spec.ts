import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { PartitionUpkeep } from '#outbox';
import { moveTime, type MovedTime } from '../support/moved-time.js';
import { startTestApp, type Answer, type Call, type TestApp } from '../support/test-app.js';
import { until } from '../support/webhooks.js';

const DAY_MS = 86_400_000;
const KEPT_DAYS = 3;
const MODEL = { provider: 'openai', model: 'gpt-4o' };

let app: TestApp;
let other: TestApp;
let time: MovedTime;

beforeAll(async () => {
  app = await startTestApp({
    decisions: { retentionDays: KEPT_DAYS },
    outbox: { retentionDays: 60 },
    // Runs the migrations, because only their role may shorten the retention. The test fills in the URL.
    database: { url: '', migrations: 'run' },
  });
  time = await moveTime(app.database, { standsAt: app.clock.now() });
  other = await startTestApp({
    decisions: { retentionDays: KEPT_DAYS },
    testDatabase: app.database,
    time: app.clock,
    orgId: app.orgId,
  });
  await app.app.get(PartitionUpkeep).keep();
});

afterAll(async () => {
  await other?.close();
  await app?.close();
});

/** Advances the clock by days, with the cleanup of each. */
async function pass(days: number): Promise<void> {
  for (let day = 0; day < days; day++) {
    app.clock.advance(DAY_MS);
    await time.advance(DAY_MS);
    await app.app.get(PartitionUpkeep).keep();
  }
}

async function organization(): Promise<{ orgId: string; token: string; call: Call; user_id: string }> {
  const { orgId, token, call } = await app.addOrganization();
  const user = await call('POST', '/v1/users', { email: `${randomUUID()}@example.com`, name: 'Ada' });
  return { orgId, token, call, user_id: user.body.id };
}

async function decide(call: Call, request: object): Promise<Answer['body']> {
  const { status, body, text } = await call('POST', '/v1/decisions', { ...MODEL, ...request });
  if (status !== 200) throw new Error(text);
  return body;
}

const listed = async (call: Call, query = ''): Promise<string[]> => {
  const found: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const { body }: Answer = await call('GET', `/v1/decisions?limit=2${query}${cursor && `&cursor=${cursor}`}`);
    found.push(...body.items.map(({ id }: { id: string }) => id));
    cursor = body.next_cursor && encodeURIComponent(body.next_cursor);
  }
  return found;
};

const keysOf = (orgId: string): Promise<{ idempotency_key: string }[]> =>
  app.database.asOwner('select idempotency_key from governance.decision_keys where org_id = $1 order by 1', [orgId]);

/** The number of sessions that wait for a lock on a table. */
async function waitingFor(table: string): Promise<number> {
  const waiting = await app.database.asOwner(
    `select 1 from pg_locks where not granted and relation = ('governance.' || $1)::regclass`,
    [table],
  );
  return waiting.length;
}

describe('records of decisions', () => {
  it('are in the partition of their day, and are listed across days, newest first', async () => {
    const { orgId, call, user_id } = await organization();
    const made: string[] = [];
    for (let at = 0; at < 7; at++) {
      made.unshift((await decide(call, { user_id, model: at % 2 ? 'a' : 'b' })).id);
      if (at % 3 === 2) await pass(1);
      else app.clock.advance(1);
    }
    expect(await listed(call)).toEqual(made);
    expect(await listed(call, `&user_id=${user_id}`)).toEqual(made);
    expect(await listed(call, '&model=a')).toEqual(made.filter((_, at) => at % 2 === 1));
    const places = await app.database.asOwner<{ place: string }>(
      'select distinct tableoid::regclass::text as place from governance.decisions where org_id = $1',
      [orgId],
    );
    expect(places).toHaveLength(3);
    expect(places.every(({ place }) => /^governance\.decisions_\d{8}$/.test(place))).toBe(true);
  });

  it('are deleted with their day after their retention, and the answer says so', async () => {
    const { call, user_id } = await organization();
    const old = await decide(call, { user_id });
    await pass(1);
    const kept = await decide(call, { user_id });
    await pass(KEPT_DAYS - 1);
    expect(await listed(call)).toEqual([kept.id, old.id]);
    await pass(1);
    expect(await listed(call)).toEqual([kept.id]);
    expect((await call('GET', `/v1/decisions/${kept.id}`)).status).toBe(200);
    const gone = await call('GET', `/v1/decisions/${old.id}`);
    expect(gone).toMatchObject({ status: 404, body: { error: 'not_found' } });
    expect(gone.body.message).toContain(`Records are kept for ${KEPT_DAYS} days`);
  });

  it('are deleted, but not the rows that refer to them: an incident, an approval, a usage event', async () => {
    const { call, user_id } = await organization();
    for (const action of ['block', 'require_approval']) {
      expect((await call('POST', '/v1/policies', { name: action, action, model: action })).status).toBe(201);
    }
    const blocked = await decide(call, { user_id, model: 'block' });
    const asked = await decide(call, { user_id, model: 'require_approval' });
    const free = await decide(call, { user_id });
    const event = {
      ...{ id: 'e1', user_id, ...MODEL, decision_id: free.id, occurred_at: app.clock.now().toISOString() },
      ...{ input_tokens: 1, output_tokens: 1 },
    };
    expect((await call('POST', '/v1/usage/events', { events: [event] })).body).toMatchObject({ accepted: 1 });
    await pass(KEPT_DAYS + 1);
    expect(await listed(call)).toEqual([]);
    const { items } = (await call('GET', '/v1/incidents')).body;
    const shown = await call('GET', `/v1/incidents/${items[0].id}`);
    expect(shown.status).toBe(200);
    const occurrence = shown.body.timeline.find(({ kind }: { kind: string }) => kind === 'occurrence');
    expect(occurrence.data).toMatchObject({ decision_id: blocked.id, action: 'block' });
    expect((await call('GET', `/v1/incidents/${items[0].id}/timeline`)).body.items).toHaveLength(2);
    expect((await call('GET', `/v1/approvals/${asked.approval_id}`)).body).toMatchObject({ status: 'pending' });
    expect((await call('POST', `/v1/approvals/${asked.approval_id}/approve`, { reason: 'r' })).status).toBe(200);
    expect((await call('GET', '/v1/usage/events/e1')).body).toMatchObject({ decision_id: free.id });
    const late = { ...event, id: 'e2', occurred_at: app.clock.now().toISOString() };
    expect((await call('POST', '/v1/usage/events', { events: [late] })).body).toMatchObject({ accepted: 1 });
  });

  it('may be deleted before their reservation ends, which is released anyway', async () => {
    const { call, user_id } = await organization();
    await call('PUT', '/v1/prices', { ...MODEL, input_per_million_usd: 1, output_per_million_usd: 1 });
    const budget = { name: 'All', scope: 'organization', amount_usd: 1_000, period: 'monthly', enforcement: 'block' };
    expect((await call('POST', '/v1/budgets', budget)).status).toBe(201);
    const { id, reservation } = await decide(call, { user_id });
    await app.database.asOwner('delete from governance.decisions where id = $1', [id]);
    const { status, body } = await call('POST', `/v1/decisions/${id}/release`);
    expect({ status, body }).toEqual({ status: 200, body: { decision_id: id, released_usd: reservation.amount_usd } });
  });
});

describe('an idempotency key', () => {
  const replicas = (token: string): Call[] => [app.as(token), other.as(token)];

  it('makes exactly one decision when it reaches several replicas at once, alone and in batches of keys in any order', async () => {
    const { orgId, token, call, user_id } = await organization();
    const request = (key: string) => ({ ...MODEL, user_id, idempotency_key: key });
    const keys = Array.from({ length: 30 }, (_, at) => `k${at}`);
    const answers = await Promise.all(
      Array.from({ length: 12 }, async (_, at) => {
        const as = replicas(token)[at % 2] as Call;
        if (at % 3 === 0)
          return Promise.all(keys.map(async key => (await as('POST', '/v1/decisions', request(key))).body));
        const order = at % 4 === 1 ? keys.toReversed() : keys;
        const { body } = await as('POST', '/v1/decisions/batch', { requests: order.map(request) });
        return at % 4 === 1 ? body.decisions.toReversed() : body.decisions;
      }),
    );
    for (const decisions of answers) expect(decisions).toEqual(answers[0]);
    expect(new Set(await listed(call)).size).toBe(30);
    expect(await keysOf(orgId)).toHaveLength(30);
  });

  it('is valid as long as the record is kept, and is deleted with it', async () => {
    const { orgId, call, user_id } = await organization();
    const request = { user_id, idempotency_key: 'k' };
    const first = await decide(call, request);
    await pass(KEPT_DAYS);
    expect(await decide(call, request)).toEqual(first);
    await decide(call, { ...request, idempotency_key: 'later' });
    await pass(1);
    expect(await keysOf(orgId)).toEqual([{ idempotency_key: 'later' }]);
    const second = await decide(call, { ...request, model: 'another' });
    expect(second.id).not.toBe(first.id);
    expect(await decide(call, { ...request, model: 'another' })).toEqual(second);
  });

  it('of a deleted record can be used again before it is swept, by one of several callers', async () => {
    const { orgId, token, call, user_id } = await organization();
    const request = { user_id, idempotency_key: 'k' };
    const first = await decide(call, request);
    await pass(KEPT_DAYS + 1);
    await app.database.asOwner(
      'insert into governance.decision_keys (org_id, decision_id, idempotency_key) values ($1, $2, $3)',
      [orgId, first.id, 'k'],
    );
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) => decide(replicas(token)[at % 2] as Call, request)),
    );
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    expect(answers[0].id).not.toBe(first.id);
    expect(await listed(call)).toEqual([answers[0].id]);
  });

  it('of a deleted record can be used again at once, by one of several callers', async () => {
    const { orgId, token, call, user_id } = await organization();
    const request = { user_id, idempotency_key: 'k' };
    const first = await decide(call, request);
    await app.database.asOwner('delete from governance.decisions where id = $1', [first.id]);
    expect(await keysOf(orgId)).toHaveLength(1);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) => decide(replicas(token)[at % 2] as Call, request)),
    );
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    expect(answers[0].id).not.toBe(first.id);
    expect(await listed(call)).toEqual([answers[0].id]);
  });

  it('that another replica takes meanwhile leads to the record of that replica', async () => {
    const { orgId, call, user_id } = await organization();
    const first = await decide(call, { user_id, idempotency_key: 'first' });
    const id = `${first.id.slice(0, -4)}${first.id.endsWith('0000') ? '0001' : '0000'}`;
    const replica = new pg.Client({ connectionString: app.database.url });
    await replica.connect();
    try {
      await replica.query('begin');
      await replica.query(
        'insert into governance.decision_keys (org_id, decision_id, idempotency_key) values ($1, $2, $3)',
        [orgId, id, 'k'],
      );
      await replica.query(
        `insert into governance.decisions select (jsonb_populate_record(d, jsonb_build_object('id', $2::text,
           'idempotency_key', 'k', 'request', d.request || '{"idempotency_key": "k"}'))).* from governance.decisions d where id = $1`,
        [first.id, id],
      );
      const answer = decide(call, { user_id, idempotency_key: 'k' });
      await until(async () => (await app.database.asOwner('select 1 from pg_locks where not granted')).length > 0);
      await replica.query('commit');
      expect((await answer).id).toBe(id);
    } finally {
      await replica.end();
    }
    expect(await listed(call)).toHaveLength(2);
  });

  it('is kept for at least one day, and a shorter retention is refused', async () => {
    const sweep = (days: number) => app.database.asOwner('select governance.forget_decision_keys($1, 100)', [days]);
    await expect(sweep(0)).rejects.toThrow('keeps at least one day');
    const { orgId, call, user_id } = await organization();
    await decide(call, { user_id, idempotency_key: 'k' });
    await sweep(1);
    expect(await keysOf(orgId)).toHaveLength(1);
  });

  it('is kept as long as the owner of the tables says, even if the app asks for a shorter retention', async () => {
    const { orgId, call, user_id } = await organization();
    const { id } = await decide(call, { user_id, idempotency_key: 'k' });
    await pass(KEPT_DAYS - 1);
    const url = new URL(app.database.url);
    url.searchParams.set('options', '-c role=governance_app');
    const stranger = new pg.Client({ connectionString: url.href });
    await stranger.connect();
    try {
      await stranger.query('select governance.forget_decision_keys(1, 100)');
      await stranger.query(`select governance.keep_partitions(array['decisions'], 3, 1)`);
      await stranger.query('select governance.forget_webhook_hours(1)');
    } finally {
      await stranger.end();
    }
    expect(await keysOf(orgId)).toHaveLength(1);
    expect(await listed(call)).toEqual([id]);
  });
});

describe('while records are dropped', () => {
  let reader: pg.Client | undefined;

  afterEach(() => reader?.end());

  it('decisions wait at most a second, although a transaction reads the partition', async () => {
    const { call, user_id } = await organization();
    const { id } = await decide(call, { user_id });
    await listed(call);
    await pass(KEPT_DAYS);
    reader = new pg.Client({ connectionString: app.database.url });
    await reader.connect();
    await reader.query('begin');
    await reader.query('select 1 from governance.decisions where id = $1', [id]);
    const passing = pass(1);
    await until(async () => (await waitingFor('decisions')) > 0);
    const began = performance.now();
    const keyed = await decide(call, { user_id, idempotency_key: 'meanwhile' });
    // The decision waits for a second at most. The limit includes extra time for a slow machine.
    expect(performance.now() - began).toBeLessThan(30_000);
    await passing;
    expect((await call('GET', `/v1/decisions/${id}`)).status).toBe(200);
    await reader.query('rollback');
    await app.app.get(PartitionUpkeep).keep();
    expect(await listed(call)).toEqual([keyed.id]);
  });
});
