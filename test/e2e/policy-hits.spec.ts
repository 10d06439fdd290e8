import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PartitionUpkeep } from '#outbox';
import { moveTime, type MovedTime } from '../support/moved-time.js';
import { startTestApp, type Answer, type Call, type TestApp } from '../support/test-app.js';
import { openPolicyOrganization } from './policy-history.support.js';

const DAY_MS = 86_400_000;
const KEPT_DAYS = 3;
const UNKNOWN = '00000000-0000-7000-8000-000000000000';
const MODEL = { provider: 'openai', model: 'gpt-4o' };

let app: TestApp;
let time: MovedTime;

beforeAll(async () => {
  app = await startTestApp({
    decisions: { retentionDays: KEPT_DAYS },
    // The role of the migrations writes the retention. The URL is the test's own.
    database: { url: '', migrations: 'run' },
  });
  time = await moveTime(app.database, { standsAt: app.clock.now() });
});

afterAll(() => app?.close());

/** An organization with a blocking and an alerting policy for all users, and a user. */
async function busy() {
  const withPolicies = await openPolicyOrganization(app);
  const alert = await withPolicies.add({ name: 'Look at it', action: 'alert' });
  const block = await withPolicies.add({ name: 'Not the large one', model: 'large*' });
  const user_id: string = (await withPolicies.addUser()).id;
  const ask = (model: string, more: object = {}) => withPolicies.ask({ ...MODEL, user_id, model, ...more });
  return { ...withPolicies, alert: String(alert.id), block: String(block.id), ask };
}

const hits = async (call: Call, query = ''): Promise<Answer['body'][]> =>
  (await call('GET', `/v1/policies/hits${query}`)).body.items;
const windows = async (call: Call, id: string, query = ''): Promise<Answer['body'][]> =>
  (await call('GET', `/v1/policies/${id}/hits${query}`)).body.items;
const figures = ({ hits, decided, refused }: Answer['body']) => [hits, decided, refused];

describe('the decisions that a policy matched', () => {
  const idsOf = async (call: Call, query: string): Promise<string[]> =>
    (await call('GET', `/v1/decisions?${query}`)).body.items.map(({ id }: { id: string }) => id);

  it('are listed in either order, with cursors and the other filters', async () => {
    const { call, alert, block, ask } = await busy();
    const all: string[] = [];
    const large: string[] = [];
    // The hits are in more quarters of an hour than one statement reads at first. Some quarters have no hit of `block`.
    for (let at = 0; at < 12; at++) {
      const model = at % 3 === 0 ? 'large-1' : 'small';
      const { id } = await ask(model);
      all.unshift(id);
      if (model === 'large-1') large.unshift(id);
      app.clock.advance(20 * 60_000);
    }
    expect(await idsOf(call, `policy_id=${alert}`)).toEqual(all);
    expect(await idsOf(call, `policy_id=${block.toUpperCase()}`)).toEqual(large);
    expect(await idsOf(call, `policy_id=${block}&sort=oldest`)).toEqual(large.toReversed());
    expect(await idsOf(call, 'sort=oldest')).toEqual(all.toReversed());
    for (const sort of ['newest', 'oldest']) {
      const pages: string[] = [];
      let cursor = '';
      for (;;) {
        const { body } = await call('GET', `/v1/decisions?policy_id=${block}&sort=${sort}&limit=3${cursor}`);
        expect(body.total_count).toBe(large.length);
        pages.push(...body.items.map(({ id }: { id: string }) => id));
        if (body.next_cursor === null) break;
        cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`;
      }
      expect(pages).toEqual(sort === 'newest' ? large : large.toReversed());
    }
    expect(await idsOf(call, `policy_id=${alert}&model=large-1`)).toEqual(large);
    expect(await idsOf(call, `policy_id=${block}&action=allow`)).toEqual([]);
    expect(await idsOf(call, `policy_id=${UNKNOWN}`)).toEqual([]);
  });

  it('are limited by the time range', async () => {
    const { call, alert, ask } = await busy();
    const before = await ask('small');
    app.clock.advance(60_000);
    const since = app.clock.now().toISOString();
    const within = await ask('small');
    app.clock.advance(60_000);
    const until = app.clock.now().toISOString();
    await ask('small');
    const query = `since=${since}&until=${until}`;
    expect(await idsOf(call, `policy_id=${alert}&${query}`)).toEqual([within.id]);
    expect(await idsOf(call, `sort=oldest&${query}`)).toEqual([within.id]);
    expect((await idsOf(call, 'sort=oldest&limit=1'))[0]).toBe(before.id);
  });
});

describe('the hits of policies', () => {
  it('count each decision that a policy matched, decided or refused', async () => {
    const { call, alert, block, ask } = await busy();
    await ask('small');
    await ask('small');
    const last = await ask('large-1');
    expect(await hits(call)).toEqual([
      { policy_id: block, name: 'Not the large one', hits: 1, decided: 1, refused: 1, last_hit_at: last.evaluated_at },
      { policy_id: alert, name: 'Look at it', hits: 3, decided: 2, refused: 1, last_hit_at: last.evaluated_at },
    ]);
  });

  it('count a repeated decision with the same key once', async () => {
    const { call, block, ask } = await busy();
    await ask('large-1', { idempotency_key: 'k' });
    await ask('large-1', { idempotency_key: 'k' });
    expect((await windows(call, block)).map(figures)).toEqual([[1, 1, 1]]);
  });

  it("are listed by windows of the organization's time zone, newest first", async () => {
    const { call, alert, ask } = await busy();
    // Days in Kathmandu begin at 18:15 UTC.
    expect((await call('PATCH', '/v1/organization', { time_zone: 'Asia/Kathmandu' })).status).toBe(200);
    const start = app.clock.now().getTime();
    const move = async (to: string) => app.clock.advance(Date.parse(to) - app.clock.now().getTime());
    const day = new Date(start + DAY_MS).toISOString().slice(0, 10);
    await move(`${day}T18:14:00Z`);
    await ask('small');
    await move(`${day}T18:16:00Z`);
    await ask('small');
    await ask('large-1');
    const daily = await windows(call, alert);
    expect(daily.map(figures)).toEqual([
      [2, 1, 1],
      [1, 1, 0],
    ]);
    expect(daily[0]).toMatchObject({
      policy_id: alert,
      window_start: `${day}T18:15:00.000Z`,
      window_end: new Date(Date.parse(`${day}T18:15:00Z`) + DAY_MS).toISOString(),
    });
    expect((await windows(call, alert, '?period=hourly')).map(({ window_start }) => window_start)).toEqual([
      `${day}T18:15:00.000Z`,
      `${day}T17:15:00.000Z`,
    ]);
    const since = `${day}T18:15:00Z`;
    expect((await windows(call, alert, `?since=${since}`)).map(figures)).toEqual([[2, 1, 1]]);
    expect((await windows(call, alert, `?until=${since}`)).map(figures)).toEqual([[1, 1, 0]]);
    expect((await hits(call, `?until=${since}`)).map(figures)).toEqual([[1, 1, 0]]);
    app.clock.advance(start - app.clock.now().getTime());
  });

  it('are kept under the last name of a deleted policy', async () => {
    const { call, block, ask, put, remove } = await busy();
    await ask('large-1');
    await put(block, { name: 'Renamed' });
    await remove(block);
    expect((await hits(call))[0]).toMatchObject({ policy_id: block, name: 'Renamed', hits: 1 });
    expect((await windows(call, block)).map(figures)).toEqual([[1, 1, 1]]);
  });

  it('are 404 for a policy that never existed, and for one of another organization', async () => {
    const { block, ask } = await busy();
    await ask('large-1');
    const { call } = await app.addOrganization();
    for (const id of [UNKNOWN, block, 'hits']) {
      expect(await call('GET', `/v1/policies/${id}/hits`)).toMatchObject({ status: 404, body: { error: 'not_found' } });
    }
    expect(await hits(call)).toEqual([]);
  });

  it('are deleted with the records of their time', async () => {
    const { call, alert, ask } = await busy();
    await ask('small');
    const pass = async (days: number) => {
      app.clock.advance(days * DAY_MS);
      await time.advance(days * DAY_MS);
      await app.app.get(PartitionUpkeep).keep();
    };
    await pass(KEPT_DAYS);
    expect((await windows(call, alert)).map(figures)).toEqual([[1, 1, 0]]);
    await pass(1);
    expect(await windows(call, alert)).toEqual([]);
  });
});
