import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type Call, type TestApp } from '../support/test-app.js';
import { createUser, report, usageEvent } from './usage.support.js';

describe('exchange rates', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp();
  });

  afterAll(() => app?.close());

  const put = async (call: Call, currency: string, date: string, rate: string | number) => {
    const answer = await call('PUT', '/v1/exchange-rates', { currency, date, rate });
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.body;
  };

  /**
   * An organization with ten dollars of usage at the end of the 17th in UTC, which is the 18th in Berlin, and twenty
   * dollars on the 19th.
   */
  async function organization() {
    const { orgId, call } = await app.addOrganization();
    const ada = await createUser(call, 'ada');
    const use = (occurred_at: string, cost_usd: string) => usageEvent({ user_id: ada, occurred_at, cost_usd });
    await report(call, use('2026-11-17T23:30:00Z', '10'), use('2026-11-19T10:00:00Z', '20'));
    return { orgId, call };
  }

  const csvOf = async (call: Call, path: string): Promise<string[]> =>
    (await call('GET', path, undefined, { accept: 'text/csv' })).text.trimEnd().split('\r\n');

  it('are set and changed by currency and date, read, listed by effective day, and deleted', async () => {
    const { orgId, call } = await organization();
    const first = await put(call, 'EUR', '2026-11-01', '0.8600');
    expect(first).toEqual({
      ...{ id: expect.any(String), org_id: orgId, currency: 'EUR', date: '2026-11-01', rate: '0.860000000000' },
      ...{ created_at: '2026-11-20T12:00:00.000Z', updated_at: '2026-11-20T12:00:00.000Z' },
    });
    expect(await put(call, 'EUR', '2026-11-01', 0.86)).toEqual(first);
    const changed = await put(call, 'EUR', '2026-11-01', '0.860000000001');
    expect(changed).toMatchObject({ id: first.id, rate: '0.860000000001' });
    expect((await call('GET', `/v1/exchange-rates/${first.id}`)).body).toEqual(changed);
    const later = await put(call, 'EUR', '2026-11-10', '0.9');
    const yen = await put(call, 'JPY', '2026-11-05', '151');
    const list = async (query: string) => (await call('GET', `/v1/exchange-rates?${query}`)).body.items;
    expect(await list('')).toHaveLength(3);
    expect(await list('currency=EUR')).toHaveLength(2);
    expect(await list('date=2026-11-09')).toEqual(expect.arrayContaining([changed, yen]));
    expect(await list('currency=EUR&date=2026-11-10')).toEqual([later]);
    expect(await list('date=2026-10-31')).toEqual([]);
    expect((await call('DELETE', `/v1/exchange-rates/${first.id}`)).status).toBe(204);
    expect((await call('DELETE', `/v1/exchange-rates/${first.id}`)).status).toBe(404);
    expect((await call('GET', `/v1/exchange-rates/${first.id}`)).status).toBe(404);
    const { items } = (await call('GET', `/v1/audit-log?resource_id=${first.id}`)).body;
    expect(items.map(({ action }: { action: string }) => action)).toEqual(
      ['deleted', 'updated', 'created'].map(verb => `exchange_rate.${verb}`),
    );
  });

  it('convert costs by the rate of the day in the zone of the report, in addition to the dollars', async () => {
    const { call } = await organization();
    await put(call, 'EUR', '2026-11-01', '0.5');
    await put(call, 'EUR', '2026-11-18', '0.8');
    const series = async (query: string) => (await call('GET', `/v1/usage/series?currency=EUR&${query}`)).body;
    expect(await series('period=monthly')).toMatchObject({
      ...{ currency: 'EUR', without_rate: null, total: 30, cost_converted: 21 },
      points: [{ period: '2026-11', value: 30, cost_converted: 21 }],
    });
    expect(await series('period=monthly&time_zone=Europe/Berlin')).toMatchObject({ total: 30, cost_converted: 24 });
    expect(await series('period=daily&group_by=model')).toMatchObject({
      groups: [{ key: 'gpt-4o', total: 30, cost_converted: 21, points: [{ cost_converted: 5 }, {}, {}] }],
    });
    const breakdown = (await call('GET', '/v1/usage/breakdown?currency=EUR&period=hourly')).body;
    expect(breakdown).toMatchObject({
      ...{ currency: 'EUR', totals: { estimated_cost_usd: 30, cost_converted: 21 } },
      lines: [{ cost_converted: 5 }, { cost_converted: 16 }],
    });
    for (const period of ['hourly', 'daily', 'weekly', 'monthly']) {
      const { items } = (await call('GET', `/v1/usage?currency=EUR&period=${period}`)).body;
      expect(items.reduce((sum: number, item: { cost_converted: number }) => sum + item.cost_converted, 0)).toBe(21);
      expect(items[0]).toMatchObject({ currency: 'EUR', without_rate: null });
    }
    const focus = await csvOf(call, '/v1/usage/focus?currency=EUR');
    expect(focus[0]).toMatch(/,x_ConvertedCurrency,x_ConvertedEffectiveCost,x_ConvertedListCost,x_ExchangeRate$/);
    expect(focus[1]).toMatch(/,EUR,5\.0+,5\.0+,0\.5000*$/);
    expect((await csvOf(call, '/v1/usage?currency=EUR&period=monthly'))[1]).toMatch(/,EUR,21\.000000000000$/);
    // A report for which no currency is requested has no converted costs.
    expect((await call('GET', '/v1/usage/series')).body).not.toHaveProperty('cost_converted');
    expect((await call('GET', '/v1/usage')).body.items[0]).not.toHaveProperty('currency');
    expect((await csvOf(call, '/v1/usage/focus'))[0]).not.toContain('x_Converted');
  });

  it('do not convert a cost with days before the first rate, and name these days', async () => {
    const { call } = await organization();
    await put(call, 'EUR', '2026-11-18', '0.8');
    const series = (await call('GET', '/v1/usage/series?currency=EUR&start_date=2026-11-15&end_date=2026-11-20')).body;
    expect(series).toMatchObject({
      ...{ total: 30, cost_converted: null, without_rate: { first_day: '2026-11-15', last_day: '2026-11-17' } },
      points: [0, 0, null, 0, 16, 0].map(cost_converted => ({ cost_converted })),
    });
    const { items } = (await call('GET', '/v1/usage?currency=EUR&period=monthly')).body;
    expect(items).toMatchObject([
      {
        estimated_cost_usd: 30,
        cost_converted: null,
        without_rate: { first_day: '2026-11-17', last_day: '2026-11-17' },
      },
    ]);
    const never = (await call('GET', '/v1/usage/breakdown?currency=JPY')).body;
    expect(never).toMatchObject({
      without_rate: { first_day: '2026-11-17', last_day: '2026-11-19' },
      totals: { estimated_cost_usd: 30, cost_converted: null },
    });
    const focus = await csvOf(call, '/v1/usage/focus?currency=EUR');
    expect(focus[1]).toMatch(/,EUR,,,$/);
    expect(focus[2]).toMatch(/,EUR,16\.0+,16\.0+,0\.80*$/);
  });

  it.each([
    ['currency', { currency: 'USD' }],
    ['currency', { currency: 'eur' }],
    ['currency', { currency: 'XQQ' }],
    ['date', { date: '2026-02-30' }],
    ['rate', { rate: '0' }],
    ['rate', { rate: '-1' }],
    ['rate', { rate: '0.0000000000001' }],
    ['rate', { rate: 1_000_000_001 }],
    ['rate', { rate: null }],
    ['color', { color: 'red' }],
  ])('name %s if it is invalid', async (field, change) => {
    const body = { currency: 'EUR', date: '2026-11-01', rate: '0.9', ...change };
    const answer = await app.call('PUT', '/v1/exchange-rates', body);
    expect([answer.status, answer.body.details[0].field]).toEqual([400, field]);
  });

  it.each(['series?currency=USD', 'series?currency=EUR&metric=tokens', 'breakdown?currency=euro', 'focus?currency=1'])(
    'refuse %s',
    async path => {
      const answer = await app.call('GET', `/v1/usage/${path}`);
      expect([answer.status, answer.body.details[0].field]).toEqual([400, 'currency']);
    },
  );

  it('are unique per currency and day, invisible to other organizations, and need the scopes', async () => {
    const { call } = await app.addOrganization();
    const rates = await Promise.all(Array.from({ length: 8 }, (_, at) => put(call, 'EUR', '2026-11-01', at + 1)));
    expect(new Set(rates.map(({ id }) => id)).size).toBe(1);
    expect((await app.call('GET', `/v1/exchange-rates/${rates[0].id}`)).status).toBe(404);
    const auditor = await app.addToken('auditor');
    expect((await auditor.call('GET', '/v1/exchange-rates')).status).toBe(200);
    const body = { currency: 'EUR', date: '2026-11-01', rate: '1' };
    expect((await auditor.call('PUT', '/v1/exchange-rates', body)).status).toBe(403);
  });
});
