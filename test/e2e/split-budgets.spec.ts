import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
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
  type Shop,
} from './spend.support.js';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(async () => {
  await app?.close();
});

const EACH = { split_by: 'user' };

async function isAllowed(shop: Shop, micros: number, more: Parameters<typeof reserve>[2] = {}): Promise<boolean> {
  return (await reserve(shop, micros, more))?.allowed ?? true;
}

async function partsOf(shop: Shop, id: string): Promise<unknown[]> {
  const { body } = await shop.call('GET', `/v1/budgets/${id}/parts`);
  return body.items.map((item: Record<string, unknown>) => [item['part'], item['amount_usd'], item['reserved_usd']]);
}

describe('a budget split by user', () => {
  it('gives each user the amount of the budget, or the amount that was set for this user', async () => {
    const shop = await openShop(app);
    const bob = await addPerson(shop.call, 'Sales');
    const id = await addBudget(shop.call, 0.00005, EACH);
    const set = await shop.call('PUT', `/v1/budgets/${id}/overrides`, { part: bob.toUpperCase(), amount_usd: 0.00008 });
    expect(set).toMatchObject({ status: 200, body: { part: bob, amount_usd: 0.00008, spent_usd: 0 } });
    await reserved(shop, 50);
    expect(await isAllowed(shop, 1)).toBe(false);
    expect(await isAllowed(shop, 80, { userId: bob })).toBe(true);
    expect(await isAllowed(shop, 1, { userId: bob })).toBe(false);
    expect(await partsOf(shop, id)).toEqual(
      [
        [shop.userId, 0.00005, 0.00005],
        [bob, 0.00008, 0.00008],
      ].toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
    );
    await shop.call('PUT', `/v1/budgets/${id}/overrides`, { part: bob, amount_usd: null });
    expect(await partsOf(shop, id)).toContainEqual([bob, 0.00005, 0.00008]);
    expect((await shop.call('GET', `/v1/budgets/${id}`)).body).toMatchObject({ spent_usd: null, split_by: 'user' });
  });

  it.each(['user', 'token'])('refuses an amount for a %s that the organization does not have', async split => {
    const shop = await openShop(app);
    const id = await addBudget(shop.call, 1, { split_by: split });
    const elsewhere = await openShop(app);
    const stranger = split === 'user' ? elsewhere.userId : (await elsewhere.call('GET', '/v1/tokens')).body.items[0].id;
    const unknown = { status: 400, body: { details: [{ field: 'part', message: expect.stringContaining(split) }] } };
    for (const part of [randomUUID(), stranger]) {
      for (const amount_usd of [1, null]) {
        expect(await shop.call('PUT', `/v1/budgets/${id}/overrides`, { part, amount_usd })).toMatchObject(unknown);
      }
    }
    expect(await partsOf(shop, id)).toEqual([]);
    const own = split === 'user' ? shop.userId : (await shop.call('GET', '/v1/tokens')).body.items[0].id;
    for (const part of [own, '']) {
      const set = await shop.call('PUT', `/v1/budgets/${id}/overrides`, { part, amount_usd: 2 });
      expect(set).toMatchObject({ status: 200, body: { part, amount_usd: 2 } });
    }
  });

  it('removes the amount of a user who no longer exists', async () => {
    const shop = await openShop(app);
    const id = await addBudget(shop.call, 1, EACH);
    const gone = randomUUID();
    await app.database.asOwner(
      'insert into governance.budget_overrides (org_id, budget_id, part, amount_usd) values ($1, $2, $3, 5)',
      [shop.orgId, id, gone],
    );
    const set = await shop.call('PUT', `/v1/budgets/${id}/overrides`, { part: gone, amount_usd: null });
    expect(set).toMatchObject({ status: 200, body: { part: gone, amount_usd: 1 } });
  });

  it("settles and releases in the user's part, and sends alerts of each part once", async () => {
    const shop = await openShop(app);
    const bob = await addPerson(shop.call, 'Sales');
    const id = await addBudget(shop.call, 0.0001, { ...EACH, alert_thresholds: [0.25, 0.5] });
    const decision = await reserved(shop, 60);
    await use(shop, 60, { decision_id: decision });
    await use(shop, 30, { user_id: bob });
    await use(shop, 10, { user_id: bob });
    expect((await windowsOf(app.database, id)).toSorted()).toEqual(['0.00004 + 0', '0.00006 + 0']);
    expect(await alertsOf(app.database, shop.orgId)).toEqual([
      'budget_warning 0.00003/0.0001',
      'budget_warning 0.00006/0.0001',
      'budget_warning 0.00006/0.0001',
    ]);
  });

  it('begins with the usage of each user in the previous window', async () => {
    const shop = await openShop(app);
    await use(shop, 30);
    const id = await addBudget(shop.call, 0.00005, EACH);
    expect(await windowsOf(app.database, id)).toEqual(['0.00003 + 0']);
    expect(await isAllowed(shop, 21)).toBe(false);
    expect(await isAllowed(shop, 20)).toBe(true);
  });

  it("keeps each user's spending and reservations when the calendar changes", async () => {
    const shop = await openShop(app);
    const id = await addBudget(shop.call, 0.00005, { ...EACH, period: 'quarterly' });
    await use(shop, 10);
    await reserved(shop, 15);
    expect(await shop.call('PATCH', '/v1/organization', { fiscal_year_first_month: 2 })).toMatchObject({ status: 200 });
    const { body } = await shop.call('GET', `/v1/budgets/${id}/parts`);
    expect(body.items).toMatchObject([
      { spent_usd: 0.00001, reserved_usd: 0.000015, window_start: '2026-11-01T00:00:00.000Z' },
    ]);
    expect(await faultsOf(app.database, shop.orgId)).toEqual([]);
    expect(await isAllowed(shop, 26)).toBe(false);
  });
});

describe('a budget with several conditions', () => {
  it('counts only requests that meet all conditions', async () => {
    const shop = await openShop(app);
    const scope = { department: 'Sales', project: 'copilot', model: 'acme*', 'tags.team': 'search' };
    const id = await addBudget(shop.call, 0.00001, { scope });
    expect((await shop.call('GET', `/v1/budgets/${id}`)).body.scope).toEqual(scope);
    const about = { project: 'copilot', tags: { team: 'search' } };
    expect(await isAllowed(shop, 11, about)).toBe(false);
    expect(await isAllowed(shop, 11, { ...about, project: 'other' })).toBe(true);
    expect(await isAllowed(shop, 11, { ...about, tags: { team: 'ads' } })).toBe(true);
    expect(await isAllowed(shop, 11, { ...about, department: 'Support' })).toBe(true);
    expect(await isAllowed(shop, 11, { ...about, model: 'other' })).toBe(true);
  });

  it('counts the fields of the decision, whatever the usage says', async () => {
    const shop = await openShop(app);
    const id = await addBudget(shop.call, 1, { scope: { project: 'copilot' } });
    const other = await addBudget(shop.call, 1, { scope: { department: 'Sales' }, split_by: 'project' });
    const decision = await reserved(shop, 7, { project: 'copilot' });
    await use(shop, 9, { decision_id: decision });
    expect(await windowsOf(app.database, id)).toEqual(['0.000009 + 0']);
    const { body } = await shop.call('GET', `/v1/budgets/${other}/parts`);
    expect(body.items).toMatchObject([{ part: 'copilot', spent_usd: 0.000009, reserved_usd: 0 }]);
  });

  it.each([
    [{ scope: {} }, 'scope'],
    [{ scope: { team: 'x' } }, 'scope'],
    [{ scope: { user_id: 'x' } }, 'scope'],
    [{ scope: { user_id: randomUUID() } }, 'scope'],
    [{ scope: { token: randomUUID() } }, 'scope'],
    [{ scope: 'user', user_id: randomUUID() }, 'user_id'],
    [{ scope: { department: 'Sales' }, department: 'Sales' }, 'department'],
    [{ split_by: 'model' }, 'split_by'],
    [{ alert_thresholds: [0.5, 0.5] }, 'alert_thresholds'],
    [{ alert_thresholds: [1] }, 'alert_thresholds'],
  ])('is refused with %j', async (more, field) => {
    const { call } = await app.addOrganization();
    const terms = { name: 'B', scope: 'organization', amount_usd: 1, period: 'daily', enforcement: 'block', ...more };
    const answer = await call('POST', '/v1/budgets', terms);
    expect(answer).toMatchObject({ status: 400, body: { details: [{ field }] } });
  });
});

describe('a budget of a fiscal quarter', () => {
  it('is not overspent by decisions around its end', async () => {
    const shop = await openShop(app);
    await shop.call('PATCH', '/v1/organization', { time_zone: 'Asia/Kathmandu', fiscal_year_first_month: 3 });
    const id = await addBudget(shop.call, 0.00001, { period: 'quarterly' });
    const edge = Date.parse('2026-12-01T00:00:00+05:45');
    const before = await reserved(shop, 6, { at: new Date(edge - 1) });
    await reserved(shop, 10, { at: new Date(edge) });
    expect(await isAllowed(shop, 5, { at: new Date(edge - 1) })).toBe(false);
    expect(await isAllowed(shop, 1, { at: new Date(edge) })).toBe(false);
    await use(shop, 6, { decision_id: before, occurred_at: new Date(app.clock.now()).toISOString() });
    expect(await windowsOf(app.database, id)).toEqual(['0.000006 + 0', '0 + 0.00001']);
  });

  it('has no parts to list or to set', async () => {
    const { call } = await openShop(app);
    const id = await addBudget(call, 1);
    expect(await call('GET', `/v1/budgets/${id}/parts`)).toMatchObject({ status: 409 });
    const override = { part: 'Sales', amount_usd: 1 };
    expect(await call('PUT', `/v1/budgets/${id}/overrides`, override)).toMatchObject({ status: 409 });
  });
});

describe('concurrent decisions of many people', () => {
  const everybody = async (shop: Shop, size: number): Promise<string[]> =>
    Promise.all(Array.from({ length: size }, () => addPerson(shop.call, 'Sales')));

  it('count for each person, in new and in existing windows', async () => {
    const shop = await openShop(app);
    const people = await everybody(shop, 6);
    const id = await addBudget(shop.call, 0.0001, EACH);
    for (const some of [people.slice(0, 3), people, people]) {
      const verdicts = await Promise.all(some.map((userId, n) => isAllowed(shop, 10 + n, { userId })));
      expect(verdicts).toEqual(some.map(() => true));
    }
    const { body } = await shop.call('GET', `/v1/budgets/${id}/parts`);
    const held = new Map(body.items.map((item: Record<string, unknown>) => [item['part'], item['reserved_usd']]));
    expect(people.map(person => held.get(person))).toEqual([
      ...[0.00003, 0.000033, 0.000036],
      ...[0.000026, 0.000028, 0.00003],
    ]);
    expect(await faultsOf(app.database, shop.orgId)).toEqual([]);
  });

  it('are refused individually, and then reserve nothing', async () => {
    const shop = await openShop(app);
    const people = await everybody(shop, 6);
    const [poor, rich, spent] = people;
    const id = await addBudget(shop.call, 0.00005, EACH);
    await addBudget(shop.call, 1);
    await shop.call('PUT', `/v1/budgets/${id}/overrides`, { part: poor, amount_usd: 0.00003 });
    await shop.call('PUT', `/v1/budgets/${id}/overrides`, { part: rich, amount_usd: 0.00008 });
    await use(shop, 20, { user_id: spent! });
    const ask = (micros: number, some = people): Promise<boolean[]> =>
      Promise.all(some.map(userId => isAllowed(shop, micros, { userId })));
    // Only the person whose override is smaller than the request is refused.
    expect(await ask(40, people.toSpliced(2, 1))).toEqual([false, true, true, true, true]);
    expect(await ask(20)).toEqual([true, true, true, false, false, false]);
    expect(await ask(1)).toEqual([true, true, true, true, true, true]);
    expect(await faultsOf(app.database, shop.orgId)).toEqual([]);
  });

  it('apply an amount that another replica has just lowered', async () => {
    const shop = await openShop(app);
    const people = await everybody(shop, 5);
    const id = await addBudget(shop.call, 0.00005, EACH);
    const ask = (): Promise<boolean[]> => Promise.all(people.map(userId => isAllowed(shop, 20, { userId })));
    expect(await ask()).toEqual(people.map(() => true));
    await app.database.asOwner(`update governance.budgets set amount_usd = 0.00003 where id = $1`, [id]);
    await app.database.asOwner(
      `update governance.change_marks set version = version + 1 where org_id = $1 and topic = 'budgets'`,
      [shop.orgId],
    );
    expect(await ask()).toEqual(people.map(() => false));
    expect(await faultsOf(app.database, shop.orgId)).toEqual([]);
  });

  it('count in common and in split budgets', async () => {
    const shop = await openShop(app);
    const people = await everybody(shop, 5);
    const [all, each] = [await addBudget(shop.call, 1), await addBudget(shop.call, 1, EACH)];
    const decisions = await Promise.all(people.map(userId => reserved(shop, 10, { userId })));
    expect(await windowsOf(app.database, all)).toEqual(['0 + 0.00005']);
    expect(await faultsOf(app.database, shop.orgId)).toEqual([]);
    await Promise.all(decisions.map((decision_id, n) => use(shop, 7, { decision_id, user_id: people[n]! })));
    expect(await windowsOf(app.database, all)).toEqual(['0.000035 + 0']);
    expect(await windowsOf(app.database, each)).toEqual(people.map(() => '0.000007 + 0'));
  });
});

describe('many concurrent decisions', () => {
  it('stay within split budgets, budgets with several conditions and common budgets', async () => {
    const shop = await openShop(app);
    const people = await Promise.all(Array.from({ length: 8 }, () => addPerson(shop.call, 'Sales')));
    await addBudget(shop.call, 0.00003, EACH);
    await addBudget(shop.call, 0.0001, { scope: { department: 'Sales', model: 'acme*' } });
    await addBudget(shop.call, 0.00015, {});
    const verdicts = await Promise.all(
      Array.from({ length: 400 }, (_, n) => reserve(shop, 1 + (n % 7), { userId: people[n % 8]!, ...MODEL })),
    );
    expect(verdicts.filter(verdict => verdict?.allowed).length).toBeGreaterThan(10);
    expect(verdicts.filter(verdict => verdict?.allowed === false).length).toBeGreaterThan(10);
    expect(await faultsOf(app.database, shop.orgId)).toEqual([]);
  });
});
