import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, SpendGuard } from '#core';
import { OrgDatabase, sqlOf } from '#database';
import { ReservationExpiry, UsageIngestion } from '#usage';
import { moveTime, type MovedTime } from '../support/moved-time.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import {
  addBudget,
  addPerson,
  alertsOf,
  faultsOf,
  MODEL,
  openShop,
  reserve,
  reserved,
  use,
  windowsOf,
} from './spend.support.js';

const QUARTER_HOUR_MS = 15 * 60_000;

let app: TestApp;
let time: MovedTime;

beforeAll(async () => {
  app = await startTestApp();
  time = await moveTime(app.database);
});

afterAll(() => app.close());

function together(...asks: Promise<unknown>[]): Promise<boolean[]> {
  return Promise.all(asks).then(verdicts => verdicts.map(verdict => (verdict as { allowed: boolean }).allowed));
}

describe('a reservation', () => {
  it('fits exactly to the twelfth decimal', async () => {
    const shop = await openShop(app);
    const terms = { ...MODEL, model: 'fine', input_per_million_usd: 0.000001, output_per_million_usd: 0 };
    expect((await shop.call('PUT', '/v1/prices', terms)).status).toBe(200);
    const budget = await addBudget(shop.call, 0.000000000003);
    const fine = { model: 'fine' };
    expect(await reserve(shop, 4, fine)).toMatchObject({ allowed: false });
    expect(await reserve(shop, 2, fine)).toMatchObject({ allowed: true, reservation: { picodollars: 2n } });
    expect(await reserve(shop, 2, fine)).toMatchObject({ allowed: false });
    expect(await reserve(shop, 1, fine)).toMatchObject({ allowed: true });
    expect(await windowsOf(app.database, budget)).toEqual(['0 + 0.000000000003']);
  });

  it('is undefined at once if no budget applies to the request', async () => {
    const shop = await openShop(app);
    const notify = await addBudget(shop.call, 1, { enforcement: 'notify' });
    await addBudget(shop.call, 1, { scope: 'department', department: 'Research' });
    expect(await reserve(shop, 1)).toBeUndefined();
    const at = app.clock.now();
    const request = { decisionId: newId(at), userId: shop.userId, department: 'Sales', ...MODEL, at };
    const guard = app.app.get(SpendGuard, { strict: false });
    expect(guard.reserve(shop.orgId, { ...request, inputTokens: 1, outputTokens: 1 })).toBeUndefined();
    expect(await windowsOf(app.database, notify)).toEqual(['0 + 0']);
  });

  it('is made in every budget that applies, or in none', async () => {
    const shop = await openShop(app);
    const all = await addBudget(shop.call, 10);
    const team = await addBudget(shop.call, 5, { name: 'Team', scope: 'department', department: 'Sales' });
    const own = await addBudget(shop.call, 3, { scope: 'user', user_id: shop.userId });
    const model = await addBudget(shop.call, 1, { name: 'Model', scope: 'model', model: 'acme-*' });
    expect(await reserve(shop, 1_000_000)).toMatchObject({ allowed: true });
    expect(await reserve(shop, 1)).toEqual({ allowed: false, budgets: [{ id: model, name: 'Model' }] });
    for (const id of [all, team, own, model]) expect(await windowsOf(app.database, id)).toEqual(['0 + 1']);
  });

  it('is decided in the order of the requests, also within one statement; a smaller one may fit after a larger', async () => {
    const shop = await openShop(app);
    const budget = await addBudget(shop.call, 0.00001);
    const other = await addPerson(shop.call, 'Research');
    await addBudget(shop.call, 0.000004, { scope: 'user', user_id: other });
    const theirs = { userId: other, department: 'Research' };
    expect(
      await together(
        reserve(shop, 6),
        reserve(shop, 5),
        reserve(shop, 3, theirs),
        reserve(shop, 2, theirs),
        reserve(shop, 1),
        reserve(shop, 0),
      ),
    ).toEqual([true, false, true, false, true, false]);
    expect(await windowsOf(app.database, budget)).toEqual(['0 + 0.00001']);
    expect(await faultsOf(app.database, shop.orgId)).toEqual([]);
  });

  it('is refused by an amount of zero, whatever the estimate', async () => {
    const shop = await openShop(app);
    await addBudget(shop.call, 0);
    expect(await together(reserve(shop, 0), reserve(shop, 1))).toEqual([false, false]);
  });

  it('reserves nothing for a model without a price, which is still refused if the budget is used up', async () => {
    const shop = await openShop(app);
    const budget = await addBudget(shop.call, 0.000001);
    const unknown = { model: 'nobody-knows-it' };
    const id = await reserved(shop, 1_000, unknown);
    expect((await shop.call('GET', '/v1/reservations')).body.items).toMatchObject([{ decision_id: id, amount_usd: 0 }]);
    await reserved(shop, 1);
    expect(await reserve(shop, 1_000, unknown)).toMatchObject({ allowed: false, budgets: [{ id: budget }] });
  });

  it('creates the window of its own time, also across the end of a day', async () => {
    const shop = await openShop(app);
    const budget = await addBudget(shop.call, 0.000002, { period: 'daily' });
    const midnight = Date.parse('2026-11-21T00:00:00Z');
    await reserved(shop, 2, { at: new Date(midnight - 1) });
    expect(await reserve(shop, 1, { at: new Date(midnight - 1) })).toMatchObject({ allowed: false });
    const [late, next] = await Promise.all([
      reserve(shop, 1, { at: new Date(midnight - 1) }),
      reserve(shop, 1, { at: new Date(midnight) }),
    ]);
    expect([late?.allowed, next?.allowed]).toEqual([false, true]);
    expect(await windowsOf(app.database, budget)).toEqual(['0 + 0.000002', '0 + 0.000001']);
  });

  it('does not fail because of another reservation in its statement', async () => {
    const shop = await openShop(app);
    const budget = await addBudget(shop.call, 1);
    const twice = newId(app.clock.now());
    await reserved(shop, 1, { decisionId: twice });
    const asked = await Promise.allSettled([
      reserve(shop, 1),
      reserve(shop, 1, { decisionId: twice }),
      reserve(shop, 1),
    ]);
    expect(asked.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await windowsOf(app.database, budget)).toEqual(['0 + 0.000003']);
  });

  it('uses changed budgets on a replica without notice of the change', async () => {
    const shop = await openShop(app);
    const budget = await addBudget(shop.call, 1);
    await reserved(shop, 1);
    await app.database.asOwner(
      `with changed as (update governance.budgets set amount_usd = 0.000002 where id = $1)
       update governance.change_marks set version = version + 1 where org_id = $2 and topic = 'budgets'`,
      [budget, shop.orgId],
    );
    expect(await together(reserve(shop, 2), reserve(shop, 1))).toEqual([false, true]);
    await app.database.asOwner(
      `with gone as (delete from governance.budgets where id = $1)
       update governance.change_marks set version = version + 1 where org_id = $2 and topic = 'budgets'`,
      [budget, shop.orgId],
    );
    expect(await reserve(shop, 5)).toBeUndefined();
  });

  it('uses a new budget on a replica without notice of it, although the known budgets are not used up', async () => {
    const shop = await openShop(app);
    await addBudget(shop.call, 1);
    await reserved(shop, 1);
    await app.database.asOwner(
      `with made as (
         insert into governance.budgets (org_id, id, name, scope, amount_usd, period, enforcement, counts_from,
           created_at, updated_at)
         values ($1, gen_random_uuid(), 'Unheard of', 'organization', 0.000003, 'monthly', 'block', '2026-01-01', now(),
           now()))
       update governance.change_marks set version = version + 1 where org_id = $1 and topic = 'budgets'`,
      [shop.orgId],
    );
    expect(await reserve(shop, 4)).toMatchObject({ allowed: false, budgets: [{ name: 'Unheard of' }] });
    expect(await reserve(shop, 3)).toMatchObject({ allowed: true });
    expect(await faultsOf(app.database, shop.orgId)).toEqual([]);
  });
});

describe('usage', () => {
  it.each([
    ['less than was reserved', 4, ['0.000004 + 0']],
    ['exactly what was reserved', 10, ['0.00001 + 0']],
    ['more than was reserved', 25, ['0.000025 + 0']],
  ])('of %s settles the reservation of its decision', async (_, micros, expected) => {
    const shop = await openShop(app);
    const budget = await addBudget(shop.call, 0.00001);
    const decision_id = await reserved(shop, 10);
    await use(shop, micros, { decision_id });
    expect(await windowsOf(app.database, budget)).toEqual(expected);
    expect((await shop.call('GET', '/v1/reservations')).body.items).toEqual([]);
  });

  it('without a price settles with zero', async () => {
    const shop = await openShop(app);
    const budget = await addBudget(shop.call, 1);
    const decision_id = await reserved(shop, 10);
    await use(shop, 10, { decision_id, model: 'nobody-knows-it' });
    expect(await windowsOf(app.database, budget)).toEqual(['0 + 0']);
  });

  it('that is sent twice counts once; a second event of the decision counts in addition', async () => {
    const shop = await openShop(app);
    const budget = await addBudget(shop.call, 1);
    const decision_id = await reserved(shop, 10);
    const other = await reserved(shop, 5);
    const id = randomUUID();
    await use(shop, 3, { id, decision_id });
    await use(shop, 3, { id, decision_id });
    await use(shop, 2, { decision_id });
    await use(shop, 1, { decision_id: randomUUID() });
    expect(await windowsOf(app.database, budget)).toEqual(['0.000006 + 0.000005']);
    await use(shop, 4, { decision_id: other });
    expect(await windowsOf(app.database, budget)).toEqual(['0.00001 + 0']);
  });

  it('counts in the window of its reservation, or else in the window of its time', async () => {
    const shop = await openShop(app);
    const block = await addBudget(shop.call, 1, { period: 'daily' });
    const notify = await addBudget(shop.call, 1, { period: 'daily', enforcement: 'notify' });
    const decision_id = await reserved(shop, 10);
    const after = { occurred_at: '2026-11-21T00:00:01Z' };
    app.clock.set('2026-11-21T00:00:02Z');
    await use(shop, 3, { ...after, decision_id });
    await use(shop, 2, after);
    // This usage is older than the first window, so it does not count.
    await use(shop, 7, { occurred_at: '2026-11-19T23:59:59Z' });
    app.clock.set('2026-11-20T12:00:00Z');
    expect(await windowsOf(app.database, block)).toEqual(['0.000003 + 0', '0.000002 + 0']);
    expect(await windowsOf(app.database, notify)).toEqual(['0 + 0', '0.000005 + 0']);
  });

  it("in the host's transaction settles and sends alerts when that commits, and only then", async () => {
    const shop = await openShop(app);
    const budget = await addBudget(shop.call, 0.00001);
    const decision_id = await reserved(shop, 10);
    const ingestion = app.app.get(UsageIngestion, { strict: false });
    const database = app.app.get(OrgDatabase, { strict: false });
    const occurred_at = app.clock.now().toISOString();
    const event = {
      id: 'once',
      user_id: shop.userId,
      ...MODEL,
      occurred_at,
      decision_id,
      input_tokens: 9,
      output_tokens: 0,
    };
    const undone = database.transaction(shop.orgId, async em => {
      await ingestion.record(shop.orgId, [event], { em });
      throw new Error('thinks better');
    });
    await expect(undone).rejects.toThrow('thinks better');
    expect(await windowsOf(app.database, budget)).toEqual(['0 + 0.00001']);
    await database.transaction(shop.orgId, em => ingestion.record(shop.orgId, [event], { em }));
    expect(await windowsOf(app.database, budget)).toEqual(['0.000009 + 0']);
    expect(await alertsOf(app.database, shop.orgId)).toEqual(['budget_warning 0.000009/0.00001']);
  });
});

describe('a reserved amount', () => {
  it('is released once on request', async () => {
    const shop = await openShop(app);
    const budget = await addBudget(shop.call, 1);
    const id = await reserved(shop, 10);
    const guard = app.app.get(SpendGuard, { strict: false });
    expect(await guard.release(shop.orgId, randomUUID())).toBe(0n);
    const released = await Promise.all([1, 2, 3].map(() => guard.release(shop.orgId, id)));
    expect(released.filter(amount => amount > 0n)).toEqual([10_000_000n]);
    await use(shop, 4, { decision_id: id });
    expect(await windowsOf(app.database, budget)).toEqual(['0.000004 + 0']);
  });

  it('is released when it expires, before any request is refused; late usage still counts', async () => {
    const shop = await openShop(app);
    const budget = await addBudget(shop.call, 0.00001);
    const id = await reserved(shop, 10);
    await time.advance(QUARTER_HOUR_MS - 60_000);
    expect(await reserve(shop, 1)).toMatchObject({ allowed: false });
    await time.advance(60_000);
    expect(await together(reserve(shop, 4), reserve(shop, 7), reserve(shop, 6))).toEqual([true, false, true]);
    expect(await windowsOf(app.database, budget)).toEqual(['0 + 0.00001']);
    await use(shop, 10, { decision_id: id });
    expect(await windowsOf(app.database, budget)).toEqual(['0.00001 + 0.00001']);
  });

  it('is released by the sweep, for every organization', async () => {
    const shops = await Promise.all([openShop(app), openShop(app)]);
    const budgets = await Promise.all(shops.map(shop => addBudget(shop.call, 1)));
    const many = Array.from({ length: 600 }, () => 1);
    await Promise.all(shops.flatMap(shop => many.map(micros => reserved(shop, micros))));
    const expiry = app.app.get(ReservationExpiry, { strict: false });
    await expiry.sweep();
    for (const id of budgets) expect(await windowsOf(app.database, id)).toEqual(['0 + 0.0006']);
    await time.advance(QUARTER_HOUR_MS);
    await expiry.sweep();
    for (const id of budgets) expect(await windowsOf(app.database, id)).toEqual(['0 + 0']);
    expect(await app.database.asOwner('select from governance.reservations')).toEqual([]);
  });

  it('is released in a transaction of the host, too, before a request is refused', async () => {
    const shop = await openShop(app);
    await addBudget(shop.call, 0.00001);
    await reserved(shop, 10);
    await time.advance(QUARTER_HOUR_MS);
    const guard = app.app.get(SpendGuard, { strict: false });
    const at = app.clock.now();
    const ask = (micros: number) =>
      app.app.get(OrgDatabase, { strict: false }).transaction(shop.orgId, em =>
        guard.reserveWithin(sqlOf(em), shop.orgId, {
          ...{ decisionId: newId(at), userId: shop.userId, department: 'Sales', ...MODEL, at },
          ...{ inputTokens: micros, outputTokens: 0 },
        }),
      );
    expect(await ask(10)).toMatchObject({ allowed: true });
    expect(await ask(1)).toMatchObject({ allowed: false });
    expect(await alertsOf(app.database, shop.orgId)).toEqual(['budget_exceeded 0/0.00001']);
  });

  it('is refused in a transaction that cannot commit an alert, and nothing is reserved', async () => {
    const shop = await openShop(app);
    const budget = await addBudget(shop.call, 0.00001);
    const at = app.clock.now();
    const ask = app.app.get(OrgDatabase, { strict: false }).transaction(shop.orgId, em => {
      const foreign = { query: sqlOf(em).query.bind(sqlOf(em)) };
      return app.app.get(SpendGuard, { strict: false }).reserveWithin(foreign, shop.orgId, {
        ...{ decisionId: newId(at), userId: shop.userId, department: 'Sales', ...MODEL, at },
        ...{ inputTokens: 11, outputTokens: 0 },
      });
    });
    await expect(ask).rejects.toThrow('pass what sqlOf(em) returns');
    expect(await windowsOf(app.database, budget)).toEqual(['0 + 0']);
  });

  it('is listed newest first, and by budget', async () => {
    const shop = await openShop(app);
    const all = await addBudget(shop.call, 1);
    const team = await addBudget(shop.call, 1, { scope: 'department', department: 'Sales' });
    const first = await reserved(shop, 1, { decisionId: '0199c2a8-0000-7000-8000-000000000001' });
    const second = await reserved(shop, 2, { decisionId: '0199c2a8-0000-7000-8000-000000000002', department: null });
    const page = await shop.call('GET', '/v1/reservations?limit=1');
    expect(page.body).toMatchObject({
      total_count: 2,
      items: [{ decision_id: second, budgets: [{ budget_id: all }] }],
    });
    const rest = await shop.call('GET', `/v1/reservations?limit=1&cursor=${encodeURIComponent(page.body.next_cursor)}`);
    expect(rest.body).toMatchObject({ items: [{ decision_id: first, amount_usd: 0.000001 }], next_cursor: null });
    const ofTeam = await shop.call('GET', `/v1/reservations?budget_id=${team}`);
    expect(ofTeam.body.items).toMatchObject([
      { decision_id: first, user_id: shop.userId, ...MODEL, budgets: expect.any(Array) },
    ]);
    expect(ofTeam.body.items[0].budgets).toContainEqual({ budget_id: team, window_start: '2026-11-01T00:00:00.000Z' });
    const viewer = await shop.call('GET', '/v1/reservations?budget_id=nonsense');
    expect(viewer.status).toBe(400);
  });
});

describe('alerts', () => {
  it('are sent once at 80 and once at 100 %', async () => {
    const shop = await openShop(app);
    await addBudget(shop.call, 0.00001, { enforcement: 'notify' });
    for (const micros of [7, 1, 1, 1, 5]) await use(shop, micros);
    expect(await alertsOf(app.database, shop.orgId)).toEqual([
      'budget_exceeded 0.00001/0.00001',
      'budget_warning 0.000008/0.00001',
    ]);
  });

  it('are both sent if one event passes both thresholds', async () => {
    const shop = await openShop(app);
    await addBudget(shop.call, 0.00001, { enforcement: 'notify' });
    await Promise.all([use(shop, 11), use(shop, 11), use(shop, 11)]);
    expect((await alertsOf(app.database, shop.orgId)).map(alert => alert.split(' ')[0])).toEqual([
      'budget_exceeded',
      'budget_warning',
    ]);
  });

  it('are not sent if one request exceeds the whole amount of a budget with little usage', async () => {
    const shop = await openShop(app);
    await addBudget(shop.call, 0.00001);
    expect(await reserve(shop, 11)).toMatchObject({ allowed: false });
    expect(await alertsOf(app.database, shop.orgId)).toEqual([]);
    await use(shop, 12);
    expect(await alertsOf(app.database, shop.orgId)).toEqual([
      'budget_exceeded 0.000012/0.00001',
      'budget_warning 0.000012/0.00001',
    ]);
  });

  it('are sent at the first refusal, although the amount is not spent yet, and not again when it is spent', async () => {
    const shop = await openShop(app);
    await addBudget(shop.call, 0.00001);
    const decision_id = await reserved(shop, 8);
    expect(await together(reserve(shop, 5), reserve(shop, 6), reserve(shop, 7))).toEqual([false, false, false]);
    expect(await reserve(shop, 5)).toMatchObject({ allowed: false });
    expect(await alertsOf(app.database, shop.orgId)).toEqual(['budget_exceeded 0/0.00001']);
    await use(shop, 12, { decision_id });
    expect(await alertsOf(app.database, shop.orgId)).toEqual([
      'budget_exceeded 0/0.00001',
      'budget_warning 0.000012/0.00001',
    ]);
  });
});
