import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ReratingJob } from '../../libs/usage/rerating/rerating.job.js';
import { startTestApp, type Call, type TestApp } from '../support/test-app.js';
import { until } from '../support/webhooks.js';
import { createUser, report, usageEvent } from './usage.support.js';

describe('/v1/discounts', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp();
  });

  afterAll(() => app?.close());

  /** An organization with a user and a price: two dollars per million input tokens. */
  async function organization() {
    const { orgId, call } = await app.addOrganization();
    const ada = await createUser(call, 'ada');
    const price = { provider: 'acme', model: 'acme-1', input_per_million_usd: 2, output_per_million_usd: 4 };
    expect((await call('PUT', '/v1/prices', price)).status).toBe(200);
    return { orgId, call, ada };
  }

  const put = async (call: Call, body: object) => {
    const answer = await call('PUT', '/v1/discounts', body);
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.body;
  };

  const million = (user_id: string, fields: object = {}) =>
    usageEvent({ user_id, provider: 'acme', model: 'acme-1', input_tokens: 1_000_000, output_tokens: 0, ...fields });

  async function costsOf(call: Call, user: string, fields: object = {}): Promise<[number | null, number | null]> {
    const event = million(user, fields);
    await report(call, event);
    const { body } = await call('GET', `/v1/usage/events/${event.id}`);
    return [body.cost_usd, body.list_cost_usd];
  }

  it('are set, changed by provider, model and start, read, listed and deleted', async () => {
    const { orgId, call, ada } = await organization();
    const [created_at, updated_at] = [app.clock.now().toISOString(), app.clock.now().toISOString()];
    const terms = { provider: 'Acme', model: 'acme-*', percent_off: '12.500000' };
    const made = await put(call, { ...terms, effective_until: '2027-01-01T00:00:00Z' });
    expect(made).toEqual({
      id: expect.any(String),
      org_id: orgId,
      ...{ ...terms, percent_off: 12.5, effective_from: null, effective_until: '2027-01-01T00:00:00.000Z' },
      ...{ version: 1, created_at, updated_at },
    });
    expect(await put(call, made)).toEqual(made);
    expect(await costsOf(call, ada)).toEqual([1.75, 2]);
    const changed = await put(call, { ...made, provider: 'ACME', percent_off: 50 });
    expect(changed).toMatchObject({ id: made.id, version: 2, percent_off: 50 });
    expect((await call('GET', `/v1/discounts/${made.id}`)).body).toEqual(changed);
    app.clock.advance(10);
    const later = await put(call, { ...terms, effective_from: '2026-12-01T00:00:00Z' });
    expect((await call('GET', '/v1/discounts')).body.items).toEqual([later, changed]);
    expect(await costsOf(call, ada)).toEqual([1, 2]);
    for (const { id } of [changed, later]) expect((await call('DELETE', `/v1/discounts/${id}`)).status).toBe(204);
    expect((await call('GET', `/v1/discounts/${made.id}`)).status).toBe(404);
    expect((await call('DELETE', `/v1/discounts/${made.id}`)).status).toBe(404);
    expect(await costsOf(call, ada)).toEqual([2, 2]);
    const { items } = (await call('GET', `/v1/audit-log?resource_id=${made.id}`)).body;
    expect(items.map(({ action }: { action: string }) => action)).toEqual([
      'discount.deleted',
      'discount.updated',
      'discount.created',
    ]);
  });

  it('apply by the time of the usage, and not to costs that the sender states or that are unknown', async () => {
    const { call, ada } = await organization();
    const from = '2026-11-10T00:00:00Z';
    await put(call, { percent_off: 10, effective_from: from, effective_until: '2026-11-15T00:00:00Z' });
    const at = (occurred_at: string) => costsOf(call, ada, { occurred_at });
    expect(await at('2026-11-09T23:59:59.999Z')).toEqual([2, 2]);
    expect(await at(from)).toEqual([1.8, 2]);
    expect(await at('2026-11-15T00:00:00Z')).toEqual([2, 2]);
    expect(await costsOf(call, ada, { occurred_at: from, cost_usd: '3' })).toEqual([3, 3]);
    expect(await costsOf(call, ada, { occurred_at: from, service_tier: 'batch' })).toEqual([null, null]);
  });

  it('apply in budgets, reservations and reports, which keep the price before the discount', async () => {
    const { call, ada } = await organization();
    await put(call, { provider: 'acme', percent_off: '25' });
    const room = { name: 'All', scope: 'organization', amount_usd: 100, period: 'monthly', enforcement: 'block' };
    const budget = (await call('POST', '/v1/budgets', room)).body.id;
    const asked = { user_id: ada, provider: 'acme', model: 'acme-1', estimated_input_tokens: 1_000_000 };
    const decision = (await call('POST', '/v1/decisions', { ...asked, max_output_tokens: 0 })).body;
    expect(decision.reservation.amount_usd).toBe(1.5);
    await report(call, million(ada, { occurred_at: app.clock.now().toISOString(), decision_id: decision.id }));
    expect((await call('GET', `/v1/budgets/${budget}`)).body).toMatchObject({ spent_usd: 1.5, reserved_usd: 0 });
    expect((await call('GET', '/v1/usage')).body.items).toMatchObject([{ estimated_cost_usd: 1.5, list_cost_usd: 2 }]);
    expect((await call('GET', '/v1/usage/series?metric=list_cost_usd')).body.total).toBe(2);
    expect((await call('GET', '/v1/usage/series')).body.total).toBe(1.5);
  });

  it('apply to past usage if a re-rating is requested', async () => {
    jest.replaceProperty(app.app.get(ReratingJob, { strict: false }), 'pauseMs', 0);
    const { orgId, call, ada } = await organization();
    const event = million(ada);
    await report(call, event);
    const discount = await put(call, { model: 'acme-1', percent_off: '12.5' });
    const rerate = async () => {
      const days = { start_date: '2026-11-01', end_date: '2026-11-20' };
      const { id } = (await call('POST', '/v1/prices/reratings', days)).body;
      const { body } = await until(async () => {
        const answer = await call('GET', `/v1/prices/reratings/${id}`);
        return answer.body.status === 'done' && answer;
      });
      return [body.events_adjusted, body.adjustment_usd];
    };
    expect(await rerate()).toEqual([1, -0.25]);
    expect((await call('GET', '/v1/usage')).body.items).toMatchObject([{ estimated_cost_usd: 1.75, list_cost_usd: 2 }]);
    expect((await call('GET', `/v1/usage/events/${event.id}`)).body).toMatchObject({
      ...{ cost_usd: 2, list_cost_usd: 2, adjusted_cost_usd: 1.75 },
      adjustments: [{ cost_delta_usd: -0.25, list_cost_delta_usd: 0 }],
    });
    // The price doubles, and the discount is 50 %. So only the cost before the discount changes.
    await call('PUT', '/v1/prices', {
      provider: 'acme',
      model: 'acme-1',
      input_per_million_usd: 3.5,
      output_per_million_usd: 4,
    });
    await put(call, { ...discount, percent_off: 50 });
    expect(await rerate()).toEqual([1, 0]);
    expect(await rerate()).toEqual([0, 0]);
    expect((await call('GET', '/v1/usage')).body.items).toMatchObject([
      { estimated_cost_usd: 1.75, list_cost_usd: 3.5 },
    ]);
    const rows = await app.database.asOwner(
      `select list_cost_usd::float8 as list, cost_usd::float8 as cost from governance.usage_totals where org_id = $1
       union select list_cost_usd::float8, cost_usd::float8 from governance.usage_hourly where org_id = $1`,
      [orgId],
    );
    expect(rows).toEqual([{ list: 3.5, cost: 1.75 }]);
  });

  it.each([
    ['percent_off', {}],
    ['percent_off', { percent_off: 100.1 }],
    ['percent_off', { percent_off: '-1' }],
    ['percent_off', { percent_off: '1.1234567' }],
    ['percent_off', { percent_off: null }],
    ['model', { percent_off: 1, model: ' ' }],
    ['provider', { percent_off: 1, provider: 'a\0' }],
    ['effective_until', { percent_off: 1, effective_until: 'soon' }],
    [
      'effective_until',
      { percent_off: 1, effective_from: '2026-11-01T00:00:00Z', effective_until: '2026-11-01T00:00:00Z' },
    ],
    ['color', { percent_off: 1, color: 'red' }],
  ])('name %s if it is invalid', async (field, body) => {
    const answer = await app.call('PUT', '/v1/discounts', body);
    expect([answer.status, answer.body.details[0].field]).toEqual([400, field]);
  });

  it('are at most 1,000, are invisible to other organizations, and need the scopes', async () => {
    const { orgId, call } = await app.addOrganization();
    await app.database.asOwner(
      `insert into governance.discounts (org_id, id, model, percent_off, version, created_at, updated_at)
       select $1, gen_random_uuid(), 'm-' || n, 1, 1, now(), now() from generate_series(1, 999) n`,
      [orgId],
    );
    const last = await put(call, { model: 'last', percent_off: 1 });
    expect((await call('PUT', '/v1/discounts', { model: 'one-more', percent_off: 1 })).status).toBe(409);
    expect((await put(call, { model: 'last', percent_off: 2 })).id).toBe(last.id);
    expect((await app.call('GET', `/v1/discounts/${last.id}`)).status).toBe(404);
    const auditor = await app.addToken('auditor');
    expect((await auditor.call('GET', '/v1/discounts')).status).toBe(200);
    expect((await auditor.call('PUT', '/v1/discounts', { percent_off: 1 })).status).toBe(403);
  });
});
