import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type Call, type TestApp } from '../support/test-app.js';
import { until } from '../support/webhooks.js';
import { createUser, report, usageEvent } from './usage.support.js';

describe('/v1/prices', () => {
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

  const put = (body: unknown) => app.call('PUT', '/v1/prices', body);
  const price = {
    provider: 'acme',
    model: 'house-*',
    input_per_million_usd: 2,
    output_per_million_usd: '4.000000000001',
  };

  async function priceOf(fields: Record<string, unknown>, at = app): Promise<[number | null, string | null]> {
    const event = usageEvent({ user_id: ada, ...fields });
    await report(at.call, event);
    const { body } = await app.call('GET', `/v1/usage/events/${event.id}`);
    return [body.cost_usd, body.price_source];
  }

  it('a stored price applies to the next event, also on another replica within a second', async () => {
    const million = { provider: 'ACME', model: 'House-1', input_tokens: 1_000_000, output_tokens: 1_000_000 };
    expect(await priceOf(million, replica)).toEqual([null, null]);
    const answer = await put(price);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      id: expect.any(String),
      org_id: app.orgId,
      ...price,
      alias: null,
      output_per_million_usd: 4.000000000001,
      cache_read_per_million_usd: null,
      cache_write_per_million_usd: null,
      reasoning_per_million_usd: null,
      service_tier: 'standard',
      region: null,
      effective_from: null,
      version: 1,
      created_at: '2026-11-20T12:00:00.000Z',
      updated_at: '2026-11-20T12:00:00.000Z',
    });
    expect(await priceOf(million)).toEqual([6.000000000001, 'override']);
    await new Promise(done => setTimeout(done, 1_000));
    expect(await priceOf(million, replica)).toEqual([6.000000000001, 'override']);
  });

  it('storing it again for the same provider and model, ignoring case, changes the entry; a read entry can be written back', async () => {
    const before = (await put(price)).body;
    const after = (await put({ ...before, provider: 'Acme', model: 'HOUSE-*', input_per_million_usd: 1 })).body;
    expect(after).toMatchObject({
      id: before.id,
      version: before.version + 1,
      input_per_million_usd: 1,
      provider: 'Acme',
    });
    expect(
      (await app.call('GET', '/v1/prices')).body.items.filter((item: { id: string }) => item.id === before.id),
    ).toEqual([after]);
  });

  it('storing the current price changes nothing: no version, no audit entry', async () => {
    const dated = {
      ...price,
      model: 'steady',
      cache_read_per_million_usd: '0.50',
      effective_from: '2026-11-01T00:00:00Z',
    };
    const alias = { model: 'steady', alias: { provider: 'openai', model: 'gpt-4o' } };
    for (const body of [dated, alias]) {
      const first = (await put(body)).body;
      app.clock.advance(1_000);
      expect((await put(body)).body).toEqual(first);
      expect((await put(first)).body).toEqual(first);
      expect((await app.call('GET', `/v1/audit-log?resource_id=${first.id}`)).body.total_count).toBe(1);
    }
    const changed = (await put({ ...dated, cache_read_per_million_usd: null })).body;
    expect([changed.version, changed.cache_read_per_million_usd]).toEqual([2, null]);
  });

  it('are at most 10,000 in an organization; existing ones can still be changed', async () => {
    const { orgId, call } = await app.addOrganization();
    await app.database.asOwner(
      `insert into governance.prices (org_id, id, kind, model, input_per_million_usd, output_per_million_usd, version,
         created_at, updated_at)
       select $1, gen_random_uuid(), 'price', 'm-' || n, 1, 1, 1, now(), now() from generate_series(1, 9999) n`,
      [orgId],
    );
    const putTheirs = async (model: string) => (await call('PUT', '/v1/prices', { ...price, model })).status;
    expect([await putTheirs('last'), await putTheirs('one-more')]).toEqual([200, 409]);
    const change = await call('PUT', '/v1/prices', { ...price, model: 'last', input_per_million_usd: 9 });
    expect([change.status, change.body.version]).toEqual([200, 2]);
  });

  it('concurrent requests for the same provider and model create one entry', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => put({ ...price, model: 'race', input_per_million_usd: index })),
    );
    expect(answers.map(answer => answer.status)).toEqual(Array.from({ length: 8 }, () => 200));
    expect(new Set(answers.map(answer => answer.body.id)).size).toBe(1);
    expect(answers.map(answer => answer.body.version).sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('the price at the time of the request applies', async () => {
    await put({ ...price, model: 'dated', input_per_million_usd: 1, effective_from: '2026-11-01T00:00:00Z' });
    await put({ ...price, model: 'dated', input_per_million_usd: 5, effective_from: '2026-11-10T00:00:00Z' });
    const at = (occurred_at: string) =>
      priceOf({ provider: 'acme', model: 'dated', input_tokens: 1_000_000, output_tokens: 0, occurred_at });
    expect(await at('2026-10-31T23:59:59Z')).toEqual([null, null]);
    expect(await at('2026-11-09T23:59:59Z')).toEqual([1, 'override']);
    expect(await at('2026-11-10T00:00:00Z')).toEqual([5, 'override']);
  });

  it('an alias prices a custom name as a model of the catalog', async () => {
    const alias = { provider: null, model: 'our-deployment', alias: { provider: 'openai', model: 'gpt-4o' } };
    const { status, body } = await put(alias);
    expect([status, body.alias]).toEqual([200, alias.alias]);
    expect((await put(body)).status).toBe(200);
    expect(
      await priceOf({ provider: 'azure', model: 'our-deployment', input_tokens: 1_000_000, output_tokens: 0 }),
    ).toEqual([2.5, 'genai-prices']);
  });

  it.each([
    ['cache_read_per_million_usd', { cache_read_tokens: 1_000_000 }, 2, 0.2],
    ['cache_write_per_million_usd', { cache_write_tokens: 1_000_000 }, 2, 0.2],
    ['reasoning_per_million_usd', { output_tokens: 1_000_000, reasoning_tokens: 1_000_000 }, 6, 4.2],
  ])(
    '%s counts for its tokens only; without it, they cost the same as other tokens',
    async (field, used, plain, own) => {
      const provider = `acme-${field}`;
      const base = { provider, model: 'm', input_per_million_usd: 2, output_per_million_usd: 4 };
      const tokens = { provider, model: 'm', input_tokens: 1_000_000, output_tokens: 0, ...used };
      await put(base);
      expect(await priceOf(tokens)).toEqual([plain, 'override']);
      await put({ ...base, [field]: field.startsWith('reasoning') ? 2.2 : 0.2 });
      expect(await priceOf(tokens)).toEqual([own, 'override']);
      expect(await priceOf({ ...tokens, cache_read_tokens: 0, cache_write_tokens: 0, reasoning_tokens: 0 })).toEqual([
        plain,
        'override',
      ]);
    },
  );

  it('the name of an Azure deployment gets the prices of its model, including cached tokens', async () => {
    await put({ provider: 'azure', model: 'prod-chat', alias: { provider: 'azure', model: 'gpt-4o' } });
    const usage = {
      prompt_tokens: 1_000_000,
      completion_tokens: 100_000,
      prompt_tokens_details: { cached_tokens: 400_000 },
    };
    const event = { input_tokens: undefined, output_tokens: undefined, usage };
    expect(await priceOf({ provider: 'Azure', model: 'Prod-Chat', ...event })).toEqual([3, 'genai-prices']);
    // For another provider, the alias of Azure does not apply.
    expect(await priceOf({ provider: 'openai', model: 'prod-chat', ...event })).toEqual([null, null]);
    await put({ provider: 'azure', model: 'gpt-4o', input_per_million_usd: 1, output_per_million_usd: 2 });
    expect(await priceOf({ provider: 'azure', model: 'prod-chat', ...event })).toEqual([1.2, 'override']);
  });

  it.each([
    ['itself', [], { provider: 'azure', model: 'Round', alias: { provider: 'Azure', model: 'round' } }],
    [
      'itself through another alias',
      [{ provider: 'azure', model: 'there', alias: { provider: 'azure', model: 'back' } }],
      { provider: 'azure', model: 'back', alias: { provider: 'AZURE', model: 'There' } },
    ],
    [
      'itself through two others, one of which is for all providers',
      [
        { provider: 'acme', model: 'first', alias: { provider: 'openai', model: 'second' } },
        { provider: null, model: 'second', alias: { provider: 'azure', model: 'third' } },
      ],
      { provider: 'azure', model: 'third', alias: { provider: 'acme', model: 'first' } },
    ],
  ])('an alias of %s is refused with the field and the remedy, and changes nothing', async (_case, before, last) => {
    for (const body of before) expect((await put(body)).status).toBe(200);
    const { status, body } = await put(last);
    expect([status, body.error]).toEqual([400, 'bad_request']);
    expect(body.message).toMatch(/alias: (is the model itself|leads back to the model itself, by \S+.*); name/);
    const { items } = (await app.call('GET', '/v1/prices?limit=100')).body;
    expect(items.filter(({ model }: { model: string }) => model === last.model)).toEqual([]);
  });

  it('an alias may name the model that its pattern includes, or be for one provider or all', async () => {
    const dated = { provider: 'openai', model: 'gpt-4o-2*', alias: { provider: 'openai', model: 'gpt-4o' } };
    const everywhere = { model: 'gpt-4.1', alias: { provider: 'azure', model: 'gpt-4.1' } };
    for (const body of [dated, everywhere, everywhere]) expect((await put(body)).status).toBe(200);
  });

  it('an alias may be reversed after the other one is deleted', async () => {
    const { body } = await put({ provider: 'acme', model: 'left', alias: { provider: 'acme', model: 'right' } });
    const turned = { provider: 'acme', model: 'right', alias: { provider: 'acme', model: 'left' } };
    expect((await put(turned)).status).toBe(400);
    await app.call('DELETE', `/v1/prices/${body.id}`);
    expect((await put(turned)).status).toBe(200);
  });

  it('an alias has the tiers of the catalog, by the size of each request', async () => {
    await put({ model: 'our-gemini', alias: { provider: 'google', model: 'gemini-2.5-pro' } });
    const gemini = { provider: 'vertex', model: 'our-gemini', output_tokens: 0 };
    expect(await priceOf({ ...gemini, input_tokens: 200_000 })).toEqual([0.25, 'genai-prices']);
    expect(await priceOf({ ...gemini, input_tokens: 200_001 })).toEqual([0.5000025, 'genai-prices']);
    expect(await priceOf({ ...gemini, input_tokens: 400_000, requests: 2 })).toEqual([0.5, 'genai-prices']);
  });

  it('the most specific matching price wins', async () => {
    const at = (model: string, usd: number, provider: string | null) =>
      put({ provider, model, input_per_million_usd: usd, output_per_million_usd: 0 });
    await at('tower-*', 1, null);
    await at('tower-*', 2, 'babel');
    await at('tower-high-*', 3, null);
    await at('tower-high-1', 4, null);
    const of = async (provider: string, model: string) =>
      (await priceOf({ provider, model, input_tokens: 1_000_000, output_tokens: 0 }))[0];
    expect(await of('other', 'tower-low')).toBe(1);
    expect(await of('babel', 'tower-low')).toBe(2);
    expect(await of('babel', 'tower-high-2')).toBe(3);
    expect(await of('babel', 'tower-high-1')).toBe(4);
  });

  it('usage of a tier without a price is unpriced, and never has the standard price', async () => {
    const batch = {
      provider: 'openai',
      model: 'gpt-4o-tiers',
      input_tokens: 1_000_000,
      output_tokens: 0,
      service_tier: 'batch',
    };
    await put({ model: 'gpt-4o-tiers', input_per_million_usd: 2, output_per_million_usd: 4 });
    expect(await priceOf(batch)).toEqual([null, null]);
    const { items } = (await app.call('GET', '/v1/prices/unpriced?limit=100')).body;
    expect(items).toContainEqual(expect.objectContaining({ model: 'gpt-4o-tiers', unpriced_requests: 1 }));
    await put({ model: 'gpt-4o-tiers', service_tier: 'batch', input_per_million_usd: 1, output_per_million_usd: 2 });
    expect(await priceOf(batch)).toEqual([1, 'override']);
    expect(await priceOf({ ...batch, service_tier: 'standard' })).toEqual([2, 'override']);
    // The catalog has standard prices only.
    const claude = {
      provider: 'anthropic',
      model: 'claude-sonnet-4-5',
      input_tokens: undefined,
      output_tokens: undefined,
    };
    const usage = { input_tokens: 100_000, output_tokens: 0 };
    expect(await priceOf({ ...claude, usage: { ...usage, service_tier: 'standard' } })).toEqual([0.3, 'genai-prices']);
    expect(await priceOf({ ...claude, usage: { ...usage, service_tier: 'batch' } })).toEqual([null, null]);
  });

  it('a region has its own price, or else the price for every region', async () => {
    const used = { provider: 'azure', model: 'regional', input_tokens: 1_000_000, output_tokens: 0 };
    await put({ model: 'regional', input_per_million_usd: 2, output_per_million_usd: 4 });
    const { body } = await put({
      model: 'regional',
      region: 'EU',
      input_per_million_usd: 2.2,
      output_per_million_usd: 4,
    });
    expect((await put({ ...body, region: 'eu' })).body).toMatchObject({ id: body.id, version: 2 });
    expect(await priceOf({ ...used, region: 'eu' })).toEqual([2.2, 'override']);
    expect(await priceOf({ ...used, region: 'us' })).toEqual([2, 'override']);
    expect(await priceOf(used)).toEqual([2, 'override']);
  });

  it('a deleted price does not apply to the next event', async () => {
    const { body } = await put({ ...price, model: 'fleeting' });
    expect((await app.call('DELETE', `/v1/prices/${body.id}`)).status).toBe(204);
    expect((await app.call('DELETE', `/v1/prices/${body.id}`)).status).toBe(404);
    expect((await app.call('DELETE', '/v1/prices/none')).status).toBe(404);
    expect(await priceOf({ provider: 'acme', model: 'fleeting' })).toEqual([null, null]);
  });

  it.each([
    ['model', { ...price, model: ' ' }],
    ['model', { ...price, model: 'a\0' }],
    ['model', { ...price, model: undefined }],
    ['provider', { ...price, provider: '' }],
    ['input_per_million_usd', { ...price, input_per_million_usd: -1 }],
    ['input_per_million_usd', { ...price, input_per_million_usd: '0.0000000000001' }],
    ['input_per_million_usd', { ...price, input_per_million_usd: 1_000_001 }],
    ['input_per_million_usd', { ...price, input_per_million_usd: {} }],
    ['output_per_million_usd', { ...price, output_per_million_usd: null }],
    ['effective_from', { ...price, effective_from: '2026-11-01' }],
    ['alias', { model: 'x', alias: { provider: 'openai' } }],
    ['alias', { model: 'x', alias: [] }],
    ['input_per_million_usd', { model: 'x', alias: { provider: 'openai', model: 'gpt-4o' }, input_per_million_usd: 1 }],
    ['service_tier', { ...price, service_tier: 'gold' }],
    ['service_tier', { model: 'x', alias: { provider: 'openai', model: 'gpt-4o' }, service_tier: 'batch' }],
    ['region', { ...price, region: ' ' }],
    ['region', { model: 'x', alias: { provider: 'openai', model: 'gpt-4o' }, region: 'eu' }],
    ['colour', { ...price, colour: 'red' }],
  ])('names %s if it is invalid', async (field, body) => {
    const answer = await put(body);
    expect(answer.status).toBe(400);
    expect(answer.body.details[0].field).toBe(field);
  });

  it('lists newest first, page by page', async () => {
    const all = (await app.call('GET', '/v1/prices?limit=100')).body;
    expect(all.total_count).toBe(all.items.length);
    const first = (await app.call('GET', '/v1/prices?limit=2')).body;
    const second = (await app.call('GET', `/v1/prices?limit=2&cursor=${encodeURIComponent(first.next_cursor)}`)).body;
    expect([...first.items, ...second.items]).toEqual(all.items.slice(0, 4));
  });

  it('writes changes to the audit log', async () => {
    const { body } = await put({ ...price, model: 'audited' });
    const { items } = (await app.call('GET', `/v1/audit-log?resource_id=${body.id}`)).body;
    expect(items).toMatchObject([
      { action: 'price.created', resource_type: 'price', before: null, after: { model: 'audited' } },
    ]);
  });

  it('is invisible to other organizations, and needs the scopes', async () => {
    const other = await app.addOrganization();
    expect((await other.call('GET', '/v1/prices')).body.items).toEqual([]);
    const { body } = await put({ ...price, model: 'ours' });
    expect((await other.call('DELETE', `/v1/prices/${body.id}`)).status).toBe(404);
    const auditor = await app.addToken('auditor');
    expect((await auditor.call('GET', '/v1/prices')).status).toBe(200);
    expect((await auditor.call('PUT', '/v1/prices', price)).status).toBe(403);
  });
});

describe('/v1/prices/unpriced', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp();
  });

  afterAll(() => app.close());

  /** An organization that used some models without a price, and one model with a price. */
  async function organization() {
    const { orgId, call } = await app.addOrganization();
    const [ada, bob] = [await createUser(call, 'ada'), await createUser(call, 'bob')];
    const use = (user_id: string, model: string, day: string, fields: object = {}) =>
      usageEvent({ user_id, provider: 'acme', model, occurred_at: `${day}T10:00:00Z`, ...fields });
    await report(
      call,
      use(ada, 'b', '2026-11-01'),
      use(ada, 'b', '2026-11-03', { requests: 4 }),
      use(bob, 'b', '2026-11-02'),
      use(bob, 'a', '2026-11-03'),
      use(bob, 'a', '2026-11-03', { provider: 'Acme' }),
      use(ada, 'stated', '2026-11-03', { cost_usd: 1 }),
      use(ada, 'gpt-4o', '2026-11-03', { provider: 'openai' }),
    );
    return { orgId, call, ada };
  }

  const list = async (call: Call, query = '') => (await call('GET', `/v1/prices/unpriced${query}`)).body;

  it('lists only models with unpriced usage, by provider and model', async () => {
    const { call } = await organization();
    const one = { unpriced_requests: 1, input_tokens: 100, output_tokens: 20 };
    const onThird = { first_day: '2026-11-03', last_day: '2026-11-03' };
    expect(await list(call)).toEqual({
      items: [
        { provider: 'Acme', model: 'a', ...onThird, ...one },
        { provider: 'acme', model: 'a', ...onThird, ...one },
        {
          provider: 'acme',
          model: 'b',
          unpriced_requests: 6,
          first_day: '2026-11-01',
          last_day: '2026-11-03',
          input_tokens: 300,
          output_tokens: 60,
        },
      ],
      next_cursor: null,
      has_more: false,
      total_count: 3,
    });
  });

  it('counts the requested days, including the first and the last', async () => {
    const { call } = await organization();
    const { items } = await list(call, '?start_date=2026-11-02&end_date=2026-11-02');
    expect(items).toMatchObject([
      { model: 'b', unpriced_requests: 1, first_day: '2026-11-02', last_day: '2026-11-02' },
    ]);
    expect((await list(call, '?end_date=2026-10-31')).items).toEqual([]);
    const refused = await call('GET', '/v1/prices/unpriced?start_date=2026-11-02&end_date=2026-11-01');
    expect([refused.status, refused.body.details[0].field]).toEqual([400, 'start_date']);
  });

  it('has cursor pagination', async () => {
    const { call } = await organization();
    const all = (await list(call)).items;
    const read = [];
    let cursor = '';
    do {
      const page = await list(call, `?limit=1${cursor}`);
      expect(page.total_count).toBe(3);
      read.push(...page.items);
      cursor = page.next_cursor === null ? '' : `&cursor=${encodeURIComponent(page.next_cursor)}`;
    } while (cursor !== '');
    expect(read).toEqual(all);
  });

  it('no longer lists models that a re-rating has priced', async () => {
    const { call } = await organization();
    await call('PUT', '/v1/prices', { model: 'b', input_per_million_usd: 1, output_per_million_usd: 1 });
    expect((await list(call)).items.length).toBe(3);
    const scope = { start_date: '2026-11-01', end_date: '2026-11-03' };
    const { id } = (await call('POST', '/v1/prices/reratings', scope)).body;
    await until(async () => (await call('GET', `/v1/prices/reratings/${id}`)).body.status === 'done');
    expect((await list(call)).items).toMatchObject([{ model: 'a' }, { model: 'a' }]);
  });

  it('reads only the unpriced days, however many others there are', async () => {
    const { orgId, call, ada } = await organization();
    await app.database.asOwner(
      `insert into governance.usage_daily (org_id, day, user_id, model, provider, requests, input_tokens, output_tokens,
         cache_read_tokens, cache_write_tokens, reasoning_tokens, cost_usd, unpriced_requests)
       select $1, '2026-10-01', $2, 'm-' || n, 'openai', 1, 1, 1, 0, 0, 0, 1, 0 from generate_series(1, 20000) n`,
      [orgId, ada],
    );
    const reads = async () => {
      await app.database.asOwner('select pg_stat_force_next_flush()');
      const [row] = await app.database.asOwner<{ seq: string; own: string; others: string }>(
        `select (select seq_tup_read from pg_stat_user_tables where relid = 'governance.usage_daily'::regclass)::text as seq,
           sum(idx_tup_read) filter (where indexrelname = 'usage_daily_unpriced')::text as own,
           sum(idx_tup_read) filter (where indexrelname <> 'usage_daily_unpriced')::text as others
         from pg_stat_user_indexes where relid = 'governance.usage_daily'::regclass`,
      );
      return row;
    };
    const before = await reads();
    expect((await list(call)).items.length).toBe(3);
    const after = await until(async () => {
      const now = await reads();
      return now?.own !== before?.own && now;
    });
    const read = (kind: 'seq' | 'own' | 'others') => Number(after[kind]) - Number(before?.[kind]);
    expect(read('own')).toBeLessThan(50);
    // Background jobs may read a few rows meanwhile. A scan of the other organization's rows would read 20,000 rows.
    expect(read('seq')).toBeLessThan(1_000);
    expect(read('others')).toBeLessThan(1_000);
  });

  it('needs the right to see prices, and shows only those of its own organization', async () => {
    const { call } = await app.addOrganization();
    expect((await list(call)).items).toEqual([]);
    const agent = await app.addToken('agent');
    expect((await agent.call('GET', '/v1/prices/unpriced')).status).toBe(403);
    expect((await app.call('DELETE', '/v1/prices/unpriced')).status).toBe(404);
  });
});
