import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CounterUpkeep } from '../../libs/usage/budgets/counter-upkeep.js';
import { moveTime, type MovedTime } from '../support/moved-time.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { addBudget, openShop, reserve, type Shop } from './spend.support.js';

const DAY_MS = 86_400_000;

describe('the cleanup of counters', () => {
  let app: TestApp;
  let time: MovedTime;

  beforeAll(async () => {
    app = await startTestApp({ outbox: { workers: false } });
    time = await moveTime(app.database, { standsAt: app.clock.now() });
  });

  afterAll(() => app?.close());

  const forget = () => app.app.get(CounterUpkeep, { strict: false }).forget();

  async function windows(orgId: string): Promise<string[]> {
    const rows = await app.database.asOwner<{ day: string }>(
      `select to_char(window_start at time zone 'UTC', 'YYYY-MM-DD') || case when part = '' then '' else ' split' end as day
       from governance.budget_windows where org_id = $1 order by 1`,
      [orgId],
    );
    return rows.map(({ day }) => day);
  }

  /** Creates a window of the given age without reservations. */
  async function open({ orgId }: Shop, budget: string, part: string, ago: number, reserved = 0): Promise<string> {
    const start = new Date(Date.UTC(2026, 10, 20) - ago * DAY_MS);
    await app.database.asOwner(
      `insert into governance.budget_windows (org_id, budget_id, window_start, window_end, part, reserved_usd)
       values ($1, $2, $3, $4, $5, $6)`,
      [orgId, budget, start, new Date(start.getTime() + DAY_MS), part, reserved],
    );
    return start.toISOString().slice(0, 10);
  }

  it('deletes windows of split budgets after their usage, and no others', async () => {
    const shop = await openShop(app);
    const split = await addBudget(shop.call, 1, { split_by: 'user', period: 'daily' });
    const whole = await addBudget(shop.call, 1, { period: 'daily' });
    const stays = [
      `${await open(shop, split, shop.userId, 431)} split`,
      `${await open(shop, split, shop.userId, 500, 0.5)} split`,
      await open(shop, whole, '', 900),
    ];
    await open(shop, split, shop.userId, 433);
    const before = await windows(shop.orgId);
    expect(await forget()).toBeGreaterThan(0);
    const after = await windows(shop.orgId);
    expect(after).toHaveLength(before.length - 1);
    expect(after).toEqual(expect.arrayContaining(stays));
    expect(await forget()).toBe(0);
  });

  it('deletes counters of limits after ten minutes, and lists none of them', async () => {
    const { orgId, call, userId } = await openShop(app);
    const terms = { name: 'Each', scope: 'organization', split_by: 'user', requests_per_minute: 1 };
    const { id } = (await call('POST', '/v1/limits', terms)).body;
    const ask = () => call('POST', '/v1/decisions', { user_id: userId, provider: 'acme', model: 'acme-1' });
    expect((await ask()).body.allowed).toBe(true);
    const parts = async () => (await call('GET', `/v1/limits/${id}/parts`)).body.items.length;
    const counters = async () =>
      (await app.database.asOwner('select 1 from governance.limit_counters where org_id = $1', [orgId])).length;
    await time.advance(599_000);
    await forget();
    expect([await parts(), await counters()]).toEqual([1, 1]);
    await time.advance(2_000);
    expect([await parts(), await counters()]).toEqual([0, 1]);
    await forget();
    expect(await counters()).toBe(0);
    app.clock.advance(601_000);
    expect((await ask()).body.allowed).toBe(true);
    expect(await counters()).toBe(1);
  });

  it("keeps today's window for decisions", async () => {
    const shop = await openShop(app);
    await addBudget(shop.call, 0.00005, { split_by: 'user' });
    expect((await reserve(shop, 50))?.allowed).toBe(true);
    await forget();
    expect((await reserve(shop, 1))?.allowed).toBe(false);
  });
});
