import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SpendGuard } from '#core';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { until } from '../support/webhooks.js';
import {
  addBudget,
  addPerson,
  alertsOf,
  faultsOf,
  openShop,
  reserve,
  reserved,
  use,
  windowsOf,
  type Shop,
} from './spend.support.js';

const CALLERS = 200;
const ROUNDS = 6;

let first: TestApp;
let second: TestApp;

beforeAll(async () => {
  first = await startTestApp();
  second = await startTestApp({ testDatabase: first.database, orgId: first.orgId, time: first.clock });
});

afterAll(async () => {
  await second?.close();
  await first?.close();
});

describe('200 callers on two replicas', () => {
  it('never spend and reserve more than the amount at any time, and count every cent at the end', async () => {
    const shop = await openShop(first);
    const shops: Shop[] = [shop, { ...shop, app: second }];
    const people = await Promise.all(['Sales', 'Sales', 'Research'].map(name => addPerson(shop.call, name)));
    const budgets = [
      await addBudget(shop.call, 0.004),
      await addBudget(shop.call, 0.003, { scope: 'department', department: 'Sales' }),
      await addBudget(shop.call, 0.001, { scope: 'user', user_id: people[0] }),
      await addBudget(shop.call, 0.0025, { scope: 'model', model: 'ACME*', period: 'daily' }),
    ];
    const watched = { isOver: false, looks: 0, faults: [] as object[] };
    const watching = (async () => {
      for (; !watched.isOver; watched.looks++) watched.faults.push(...(await faultsOf(first.database, shop.orgId)));
    })();
    let spent = 0;
    const seen = { allowed: 0, refused: 0 };
    await Promise.all(
      Array.from({ length: CALLERS }, async (_, caller) => {
        const mine = shops[caller % 2]!;
        const person = caller % 3;
        const department = person === 2 ? 'Research' : 'Sales';
        for (let round = 0; round < ROUNDS; round++) {
          const micros = 1 + ((caller * 7 + round * 13) % 20);
          const verdict = await reserve(mine, micros, { userId: people[person]!, department });
          if (!verdict?.allowed) {
            seen.refused++;
            continue;
          }
          seen.allowed++;
          const { id } = verdict.reservation;
          // Every third reservation is released. The others use all or half of their estimate, and some of them report
          // it to the other replica.
          if (round % 3 === 2) {
            await mine.app.app.get(SpendGuard, { strict: false }).release(shop.orgId, id);
            continue;
          }
          const used = Math.ceil(micros / (1 + (round % 2)));
          spent += used;
          await use(shops[(caller + round) % 2]!, used, { user_id: people[person], decision_id: id });
        }
      }),
    );
    watched.isOver = true;
    await watching;
    expect(watched.faults).toEqual([]);
    expect(watched.looks).toBeGreaterThan(3);
    expect(seen.allowed).toBeGreaterThan(100);
    expect(seen.refused).toBeGreaterThan(50);
    expect(await faultsOf(first.database, shop.orgId)).toEqual([]);
    expect(await windowsOf(first.database, budgets[0]!)).toEqual([`${String(spent / 1e6)} + 0`]);
    const [held] = await first.database.asOwner(
      'select sum(reserved_usd)::float8 as sum from governance.budget_windows where org_id = $1',
      [shop.orgId],
    );
    expect(held).toEqual({ sum: 0 });
  });
});

describe('two replicas', () => {
  it('send one exceeded event for a window that refuses requests on both of them at the same time', async () => {
    const shop = await openShop(first);
    const budget = await addBudget(shop.call, 0.00001);
    const there = { ...shop, app: second };
    for (const one of [shop, there]) await reserved(one, 4);
    const keeper = new pg.Client({ connectionString: first.database.url });
    await keeper.connect();
    try {
      await keeper.query('begin');
      await keeper.query('select from governance.budget_windows where budget_id = $1 for update', [budget]);
      const verdicts = Promise.all([reserve(shop, 5), reserve(there, 5)]);
      const waiters = `select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%reserve_spend%'`;
      // Waits until both requests are blocked. Both then see that no event has been sent yet.
      await until(async () => (await first.database.asOwner(waiters)).length === 2);
      await keeper.query('commit');
      expect(await verdicts).toMatchObject([{ allowed: false }, { allowed: false }]);
    } finally {
      await keeper.end();
    }
    expect(await alertsOf(first.database, shop.orgId)).toEqual(['budget_exceeded 0/0.00001']);
  });
});
