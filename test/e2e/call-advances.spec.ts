import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { GovernedCalls, RefusedError, type OpenCall } from '#calls';
import { SpendGuard } from '#core';
import { until } from '../support/webhooks.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { booksOf } from './calls.support.js';
import { addBudget, faultsOf, MODEL, openShop, reserve, type Shop } from './spend.support.js';

/** A request that costs at most a ten-thousandth of a dollar. */
const REQUEST = { ...MODEL, estimated_input_tokens: 50, max_output_tokens: 50 };
const FULL = { input_tokens: 50, output_tokens: 50 };

let first: TestApp;
let second: TestApp;
let shop: Shop;

beforeAll(async () => {
  first = await startTestApp({ outbox: { workers: false } });
  second = await startTestApp({ testDatabase: first.database, time: first.clock, outbox: { workers: false } });
});
beforeEach(async () => {
  shop = await openShop(first);
});
afterAll(async () => {
  await second?.close();
  await first?.close();
});

const open = (app: TestApp = first): Promise<OpenCall> =>
  app.app.get(GovernedCalls, { strict: false }).open(shop.orgId, { ...REQUEST, user_id: shop.userId });

const isRefused = (error: unknown): undefined => {
  if (error instanceof RefusedError && error.code === 'budget_exceeded') return undefined;
  throw error;
};

async function heldFor(decisionId: string | undefined): Promise<number> {
  const rows = await first.database.asOwner(`select from governance.reservations where org_id = $1 and id = $2`, [
    shop.orgId,
    decisionId,
  ]);
  return rows.length;
}

/** Opens calls until one uses an advance, and returns it. Such a call has no row. Releases all other calls. */
async function openDrawn(): Promise<OpenCall> {
  return until(async () => {
    const calls = await Promise.all(Array.from({ length: 40 }, () => open()));
    const last = calls.at(-1);
    await Promise.all(calls.slice(0, -1).map(call => call.release()));
    if ((await heldFor(last?.decision?.id)) === 0) return last;
    await last?.release();
    return undefined;
  });
}

describe('many calls under a blocking budget', () => {
  it('never reserve and spend more than its amount on two replicas, and use all of it', async () => {
    await addBudget(shop.call, 0.2);
    await addBudget(shop.call, 0.3, { scope: 'department', department: 'Sales', period: 'daily' });
    const watched = { isOver: false, looks: 0, advances: 0, faults: [] as object[] };
    const watching = (async () => {
      for (; !watched.isOver; watched.looks++) {
        watched.faults.push(...(await faultsOf(first.database, shop.orgId)));
        const ahead = await first.database.asOwner(
          `select from governance.reservations where org_id = $1 and user_id = ''`,
          [shop.orgId],
        );
        watched.advances += ahead.length;
      }
    })();
    let allowed = 0;
    const call = async (app: TestApp, releases: boolean): Promise<boolean> => {
      const opened = await open(app).catch(isRefused);
      if (!opened) return false;
      if (releases) await opened.release();
      else {
        allowed++;
        await opened.settle(FULL);
      }
      return true;
    };
    const caller = async (n: number): Promise<void> => {
      for (let made = n; await call(n % 2 === 0 ? first : second, made % 5 === 0); made++);
    };
    await Promise.all(Array.from({ length: 32 }, (_, n) => caller(n)));
    // Waits until the budget is used up and no advance is held. The other replica returns its advance after a second.
    await until(async () => !(await call(first, false)) && (await booksOf(shop)).held === 0);
    watched.isOver = true;
    await watching;
    expect(watched.faults).toEqual([]);
    expect(watched.looks).toBeGreaterThan(3);
    expect(watched.advances).toBeGreaterThan(0);
    expect(allowed).toBe(2_000);
    expect((await booksOf({ ...shop, app: second })).requests).toBe(2_000);
    expect(await booksOf(shop)).toMatchObject({ held: 0, reserved: 0, open: 0, requests: 2_000 });
    expect((await booksOf(shop)).spent).toBeCloseTo(0.4, 9);
  });

  it('use all of a budget on one replica before the first is refused', async () => {
    await addBudget(shop.call, 0.2);
    let allowed = 0;
    const caller = async (): Promise<void> => {
      for (;;) {
        const call = await open().catch(isRefused);
        if (!call) return;
        allowed++;
        await call.settle(FULL);
      }
    };
    await Promise.all(Array.from({ length: 16 }, caller));
    expect(allowed).toBe(2_000);
    expect(await booksOf(shop)).toMatchObject({ held: 0, reserved: 0, requests: 2_000 });
  });

  it('use an advance, and their reservations get rows within seconds', async () => {
    await addBudget(shop.call, 10);
    const call = await openDrawn();
    expect(call.decision).toMatchObject({ allowed: true, reservation: { id: call.decision?.id, amount_usd: 0.0001 } });
    await until(async () => (await heldFor(call.decision?.id)) === 1);
    await until(async () => (await booksOf(shop)).held === 0.0001);
    expect((await shop.call('GET', '/v1/reservations')).body.items).toMatchObject([
      { decision_id: call.decision?.id, user_id: shop.userId, model: MODEL.model, amount_usd: 0.0001 },
    ]);
    await call.settle(FULL);
    expect(await booksOf(shop)).toMatchObject({ held: 0, reserved: 0, spent: 0.0001 });
  });

  it('leave nothing reserved if they end at once, and a request that needs the whole amount is allowed', async () => {
    await addBudget(shop.call, 10);
    const call = await openDrawn();
    await call.settle(FULL);
    expect((await booksOf(shop)).spent).toBe(0.0001);
    expect(await reserve(shop, 9_999_900)).toMatchObject({ allowed: true });
    expect(await heldFor(call.decision?.id)).toBe(0);
    expect(await booksOf(shop)).toMatchObject({ held: 9.9999, reserved: 9.9999 });
  });

  it('release, extend and store reservations from an advance', async () => {
    await addBudget(shop.call, 10);
    const spend = first.app.get(SpendGuard, { strict: false });
    const [released, extended] = [await openDrawn(), await openDrawn()];
    const [releasedId, extendedId] = [released.decision?.id ?? '', extended.decision?.id ?? ''];
    expect(await spend.release(shop.orgId, releasedId)).toBe(100_000_000n);
    expect(await spend.release(shop.orgId, releasedId)).toBe(0n);
    expect((await spend.extend(shop.orgId, extendedId))?.getTime()).toBeGreaterThan(first.clock.now().getTime());
    expect(await heldFor(extendedId)).toBe(1);
    expect(await spend.release(shop.orgId, extendedId)).toBe(100_000_000n);
    await until(async () => (await booksOf(shop)).held === 0);
    expect(await booksOf(shop)).toMatchObject({ held: 0, reserved: 0, spent: 0, events: [] });
    expect(await faultsOf(first.database, shop.orgId)).toEqual([]);
  });

  it('are refused by a budget that is created meanwhile', async () => {
    await addBudget(shop.call, 10);
    await (await openDrawn()).release();
    await addBudget(shop.call, 0.00005);
    await until(async () => {
      const call = await open().catch(isRefused);
      await call?.release();
      return call === undefined;
    });
    await until(async () => (await booksOf(shop)).held === 0);
    expect(await booksOf(shop)).toMatchObject({ held: 0, reserved: 0 });
  });

  it('leave nothing reserved after their replica has stopped', async () => {
    await addBudget(shop.call, 10);
    const leaving = await startTestApp({ testDatabase: first.database, time: first.clock, outbox: { workers: false } });
    const calls = await Promise.all(Array.from({ length: 100 }, () => open(leaving)));
    await Promise.all(calls.map(call => call.release()));
    const more = await Promise.all(Array.from({ length: 100 }, () => open(leaving)));
    await Promise.all(more.map((call, n) => (n % 2 === 0 ? call.release() : call.settle(FULL))));
    await leaving.close();
    expect(await booksOf(shop)).toMatchObject({ held: 0, reserved: 0, open: 0, requests: 50 });
  });
});
