import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OrgDatabase } from '#database';
import { UsageIngestion, type UsageReceipt } from '#usage';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { allUsage, createUser, report, usageEvent, type EventBody } from './usage.support.js';

const CONFLICT = { field: 'id', message: expect.stringMatching(/^conflict/) };

describe('a usage event', () => {
  let app: TestApp;
  let replica: TestApp;
  let ada: string;

  beforeAll(async () => {
    app = await startTestApp();
    replica = await startTestApp({ testDatabase: app.database, orgId: app.orgId, time: app.clock });
    ada = await createUser(app.call, 'ada');
  });

  afterAll(async () => {
    await replica.close();
    await app.close();
  });

  const ingestionOf = ({ app: nest }: TestApp): UsageIngestion => nest.get(UsageIngestion, { strict: false });

  /** The months with events of a model, and the number of their keys. */
  async function stored(model: string): Promise<{ places: string[]; keys: number }> {
    const events = await app.database.asOwner<{ id: string; place: string }>(
      `select id, tableoid::regclass::text as place from governance.usage_events where model = $1 order by occurred_at`,
      [model],
    );
    const [keys] = await app.database.asOwner<{ n: number }>(
      'select count(*)::int as n from governance.usage_event_keys where id = any($1)',
      [events.map(({ id }) => id)],
    );
    return { places: events.map(({ place }) => place.replace('governance.usage_events_', '')), keys: keys?.n ?? 0 };
  }

  it.each([
    ['another second', '2026-11-20T11:30:01Z'],
    ['another month', '2026-10-20T11:30:00Z'],
  ])('has a conflict if its id comes again at %s, and nothing of the second is stored', async (name, occurred_at) => {
    const event = usageEvent({ user_id: ada, model: name });
    expect(await report(app.call, event)).toMatchObject({ accepted: 1 });
    // At the first attempt, ingestion expects only new events. After this conflict it no longer does, so the second
    // attempt tests another path.
    for (let attempt = 0; attempt < 2; attempt++) {
      expect(await report(app.call, { ...event, occurred_at })).toMatchObject({
        accepted: 0,
        duplicates: 0,
        rejected: [{ index: 0, id: event.id, ...CONFLICT }],
      });
    }
    expect(await report(app.call, event)).toMatchObject({ duplicates: 1 });
    expect(await stored(name)).toMatchObject({ places: [expect.any(String)], keys: 1 });
    expect(await allUsage(app.call, `model=${name}&period=monthly`)).toMatchObject([
      { period: '2026-11', total_requests: 1 },
    ]);
    expect((await app.call('GET', `/v1/usage/events/${event.id}`)).body.occurred_at).toBe('2026-11-20T11:30:00.000Z');
  });

  it('is stored once if concurrent batches have its id with different times', async () => {
    const ids = Array.from({ length: 50 }, () => usageEvent({}).id);
    const batches = Array.from({ length: 12 }, (_, at) =>
      ids.map(id =>
        usageEvent({
          id,
          user_id: ada,
          model: 'race',
          occurred_at: `2026-${at % 2 ? '10' : '11'}-05T00:00:${10 + at}Z`,
        }),
      ),
    );
    const receipts = await Promise.all(
      batches.map((batch, at) =>
        ingestionOf(at % 2 ? app : replica).record(app.orgId, at % 3 ? batch : batch.toReversed()),
      ),
    );
    expectEachOnce(receipts, ids.length);
    const { places, keys } = await stored('race');
    expect({ events: places.length, keys }).toEqual({ events: 50, keys: 50 });
    expect((await allUsage(app.call, 'model=race')).reduce((sum, item) => sum + item.total_requests, 0)).toBe(50);
  });

  it('is stored once if one transaction has not ended when the other begins', async () => {
    const database = app.app.get(OrgDatabase, { strict: false });
    const [here, there] = [ingestionOf(app), ingestionOf(replica)];
    const other = (id: string) => usageEvent({ id, user_id: ada, model: 'held', occurred_at: '2026-10-01T00:00:00Z' });
    const [kept, lost] = [usageEvent({ user_id: ada, model: 'held' }), usageEvent({ user_id: ada, model: 'held' })];
    const waiting: Promise<UsageReceipt>[] = [];
    const holding = (event: EventBody) =>
      database.transaction(app.orgId, async em => {
        expect(await here.record(app.orgId, [event], { em })).toMatchObject({ accepted: 1 });
        waiting.push(there.record(app.orgId, [other(event.id)]));
        await new Promise(done => setTimeout(done, 150));
        if (event === lost) throw new Error('the host thinks better of it');
      });
    await holding(kept);
    await expect(holding(lost)).rejects.toThrow('thinks better');
    expect(await waiting[0]).toMatchObject({ accepted: 0, rejected: [{ id: kept.id, ...CONFLICT }] });
    expect(await waiting[1]).toMatchObject({ accepted: 1, rejected: [] });
    expect((await stored('held')).keys).toBe(2);
    const timeOf = async (id: string) => (await app.call('GET', `/v1/usage/events/${id}`)).body.occurred_at;
    expect(await timeOf(kept.id)).toBe('2026-11-20T11:30:00.000Z');
    expect(await timeOf(lost.id)).toBe('2026-10-01T00:00:00.000Z');
  });

  it('may have the id of an event of another organization', async () => {
    const other = await app.addOrganization();
    const bob = await createUser(other.call, 'bob');
    const event = usageEvent({ user_id: ada, model: 'shared' });
    expect(await report(app.call, event)).toMatchObject({ accepted: 1 });
    expect(await report(other.call, { ...event, user_id: bob, occurred_at: '2026-11-01T00:00:00Z' })).toMatchObject({
      accepted: 1,
    });
    expect((await app.call('GET', `/v1/usage/events/${event.id}`)).body.user_id).toBe(ada);
    expect((await other.call('GET', `/v1/usage/events/${event.id}`)).body.user_id).toBe(bob);
  });

  it('is found by its id at any age: in this month, in an earlier one, and in one without a partition', async () => {
    const times = ['2026-11-20T11:30:00.000Z', '2026-09-01T00:00:00.000Z', '2011-02-03T04:05:06.789Z'];
    const events = times.map(occurred_at => usageEvent({ user_id: ada, model: 'ages', occurred_at }));
    await ingestionOf(app).record(app.orgId, events, { limits: { maxAgeMs: null, maxAheadMs: null } });
    for (const [at, event] of events.entries()) {
      const { body } = await app.call('GET', `/v1/usage/events/${event.id}`);
      expect(body).toMatchObject({ id: event.id, occurred_at: times[at] });
    }
    expect((await stored('ages')).places[0]).toBe('default');
  });
});

function expectEachOnce(receipts: readonly UsageReceipt[], ids: number): void {
  expect(receipts.reduce((sum, receipt) => sum + receipt.accepted, 0)).toBe(ids);
  expect(receipts.reduce((sum, receipt) => sum + receipt.duplicates, 0)).toBe(0);
  const rejected = receipts.flatMap(receipt => receipt.rejected);
  expect(rejected).toHaveLength(ids * (receipts.length - 1));
  for (const rejection of rejected) expect(rejection).toMatchObject(CONFLICT);
}
