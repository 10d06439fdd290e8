import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type Answer, type Call, type TestApp } from '../support/test-app.js';
import { report, usageEvent } from './usage.support.js';

const DAY_MS = 86_400_000;
const UNKNOWN = '00000000-0000-7000-8000-000000000000';
const DAILY = { name: 'Daily', scope: 'organization', amount_usd: 100, period: 'daily', enforcement: 'notify' };

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app?.close());

/** An organization with a user and a budget. */
async function stage(fields: object = {}) {
  const { orgId, call } = await app.addOrganization();
  const user = await call('POST', '/v1/users', { email: 'ada@example.com', name: 'Ada' });
  const { body: budget } = await call('POST', '/v1/budgets', { ...DAILY, ...fields });
  const spend = (cost_usd: string, more: object = {}) =>
    report(call, usageEvent({ user_id: user.body.id, cost_usd, occurred_at: app.clock.now().toISOString(), ...more }));
  return { orgId, call, userId: String(user.body.id), id: String(budget.id), spend };
}

const history = async (call: Call, id: string, query = ''): Promise<Answer['body'][]> =>
  (await call('GET', `/v1/budgets/${id}/history${query}`)).body.items;
const midnight = (day: number) => new Date(Math.floor(app.clock.now().getTime() / DAY_MS + day) * DAY_MS).toISOString();

describe('the history of a budget', () => {
  it('has the spending and the final amount of each window, newest first', async () => {
    const { call, id, spend } = await stage();
    await spend('10');
    app.clock.advance(DAY_MS);
    await call('PATCH', `/v1/budgets/${id}`, { amount_usd: 50 });
    await call('PATCH', `/v1/budgets/${id}`, { amount_usd: 60 });
    await spend('20');
    app.clock.advance(DAY_MS);
    await call('PATCH', `/v1/budgets/${id}`, { amount_usd: 70 });
    await spend('30');
    const windows = await history(call, id);
    expect(windows.map(({ amount_usd, spent_usd }) => [amount_usd, spent_usd])).toEqual([
      [70, 30],
      [60, 20],
      [100, 10],
    ]);
    expect(windows[0]).toEqual({
      ...{ budget_id: id, part: null, window_start: midnight(0), window_end: midnight(1) },
      ...{ amount_usd: 70, spent_usd: 30, reserved_usd: 0, alerts: [] },
    });
  });

  it('links each alert of a window to its event', async () => {
    const { orgId, call, id, spend } = await stage();
    await spend('85');
    app.clock.advance(1_000);
    await spend('20');
    app.clock.advance(DAY_MS);
    await spend('1');
    const [today, yesterday] = await history(call, id);
    expect(today?.alerts).toEqual([]);
    expect(yesterday?.alerts).toEqual([
      expect.objectContaining({ type: 'budget_warning', threshold: 0.8, amount_usd: 100, spent_usd: 85 }),
      expect.objectContaining({ type: 'budget_exceeded', threshold: 1, amount_usd: 100, spent_usd: 105 }),
    ]);
    const events = await app.database.asOwner<{ type: string; id: string; at: Date }>(
      `select type, 'evt_' || replace(id::text, '-', '') as id, created_at as at from governance.events
       where org_id = $1 and type like 'budget%' order by id`,
      [orgId],
    );
    const sent = yesterday?.alerts.map(({ type, event_id, sent_at }: Answer['body']) => [type, event_id, sent_at]);
    expect(sent).toEqual(events.map(({ type, id, at }) => [type, id, at.toISOString()]));
  });

  it('has one entry per window and part of a split budget, with its own amount', async () => {
    const { call, id, userId, spend } = await stage({ split_by: 'user' });
    const other = (await call('POST', '/v1/users', { email: 'bob@example.com', name: 'Bob' })).body.id;
    await spend('10');
    await spend('20', { user_id: other });
    app.clock.advance(DAY_MS);
    await call('PUT', `/v1/budgets/${id}/overrides`, { part: userId, amount_usd: 300 });
    await spend('30');
    app.clock.advance(DAY_MS);
    await call('PUT', `/v1/budgets/${id}/overrides`, { part: userId, amount_usd: null });
    await spend('40');
    const told = ({ part, amount_usd, spent_usd }: Answer['body']) => [part, amount_usd, spent_usd];
    expect((await history(call, id, `?part=${userId}`)).map(told)).toEqual([
      [userId, 100, 40],
      [userId, 300, 30],
      [userId, 100, 10],
    ]);
    expect((await history(call, id, `?part=${other}`)).map(told)).toEqual([[other, 100, 20]]);
    expect(await history(call, id)).toHaveLength(4);
  });

  it('is 404 for an unknown budget, for one of another organization, and after its deletion', async () => {
    const { call, id, spend } = await stage();
    await spend('100');
    const { call: stranger } = await app.addOrganization();
    expect((await stranger('GET', `/v1/budgets/${id}/history`)).status).toBe(404);
    expect((await call('GET', `/v1/budgets/${UNKNOWN}/history`)).status).toBe(404);
    expect((await call('DELETE', `/v1/budgets/${id}`)).status).toBe(204);
    expect((await call('GET', `/v1/budgets/${id}/history`)).status).toBe(404);
  });
});
