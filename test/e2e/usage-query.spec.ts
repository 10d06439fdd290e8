import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { allUsage, createUser, report, usageEvent } from './usage.support.js';

describe('GET /v1/usage', () => {
  let app: TestApp;
  let ada: string;
  let bob: string;
  let cyd: string;

  beforeAll(async () => {
    app = await startTestApp();
    ada = await createUser(app.call, 'ada');
    bob = await createUser(app.call, 'bob');
    cyd = await createUser(app.call, 'cyd');
    await report(
      app.call,
      // In order: two hours of the Friday of week 47, the Sunday of week 46, 31 October, and the Thursday of week 44.
      usageEvent({ user_id: ada, occurred_at: '2026-11-20T11:30:00Z', cost_usd: '0.1' }),
      usageEvent({ user_id: ada, occurred_at: '2026-11-20T10:59:59.999Z', cost_usd: '0.2', requests: 3 }),
      usageEvent({ user_id: ada, occurred_at: '2026-11-15T23:59:59Z', cost_usd: '0.3' }),
      usageEvent({
        user_id: bob,
        occurred_at: '2026-11-20T11:00:00Z',
        model: 'claude-sonnet-4-5',
        provider: 'anthropic',
      }),
      usageEvent({ user_id: bob, occurred_at: '2026-11-01T00:00:00Z', cost_usd: '1' }),
      usageEvent({ user_id: bob, occurred_at: '2026-10-31T23:59:59Z', cost_usd: '2' }),
      usageEvent({ user_id: cyd, occurred_at: '2026-10-29T12:00:00Z', model: 'no-such-model', requests: 7 }),
    );
  });

  afterAll(() => app.close());

  const get = (query: string) => app.call('GET', `/v1/usage?${query}`);
  const periods = async (query: string) => (await allUsage(app.call, query)).map(item => item.period);

  describe('the usage summary', () => {
    it('has user, email address, model, provider, period, requests, tokens and cost', async () => {
      const [item] = (await get(`user_id=${ada}&start_date=2026-11-20`)).body.items;
      expect(item).toEqual({
        user_id: ada,
        user_email: 'ada@example.com',
        model: 'gpt-4o',
        provider: 'openai',
        period: '2026-11-20',
        total_requests: 4,
        total_input_tokens: 200,
        total_output_tokens: 40,
        estimated_cost_usd: 0.3,
        cache_read_tokens: 0,
        cache_write_tokens: 0,
        reasoning_tokens: 0,
        unpriced_requests: 0,
        list_cost_usd: 0.3,
      });
    });

    it('estimates the cost from provider pricing if the sender states none', async () => {
      const [item] = (await get(`user_id=${bob}&start_date=2026-11-20`)).body.items;
      // 100 tokens at $3 and 20 tokens at $15 per million.
      expect(item.estimated_cost_usd).toBe(0.0006);
      expect(item.unpriced_requests).toBe(0);
    });

    it('counts requests of a model without a price as unpriced and without cost', async () => {
      const [item] = (await get(`user_id=${cyd}`)).body.items;
      expect(item).toMatchObject({ estimated_cost_usd: 0, unpriced_requests: 7, total_requests: 7 });
    });
  });

  describe('the period', () => {
    it('is daily by default', async () => {
      expect((await get('')).body).toEqual((await get('period=daily')).body);
    });

    it('is labeled YYYY-MM-DD for daily', async () => {
      expect(await periods('period=daily')).toEqual([
        '2026-11-20',
        '2026-11-20',
        '2026-11-15',
        '2026-11-01',
        '2026-10-31',
        '2026-10-29',
      ]);
    });

    it('may be hourly', async () => {
      expect(await periods(`period=hourly&user_id=${ada}`)).toEqual([
        '2026-11-20T11:00:00Z',
        '2026-11-20T10:00:00Z',
        '2026-11-15T23:00:00Z',
      ]);
    });

    it('may be weekly, in ISO weeks from Monday on', async () => {
      expect(await periods('period=weekly')).toEqual(['2026-W47', '2026-W47', '2026-W46', '2026-W44', '2026-W44']);
    });

    it('may be monthly', async () => {
      expect(await periods('period=monthly')).toEqual(['2026-11', '2026-11', '2026-11', '2026-10', '2026-10']);
    });

    it('sums a month in which several models were used on different days', async () => {
      const items = await allUsage(app.call, `period=monthly&user_id=${bob}`);
      expect(items.map(item => [item.period, item.model, item.estimated_cost_usd])).toEqual([
        ['2026-11', 'claude-sonnet-4-5', 0.0006],
        ['2026-11', 'gpt-4o', 1],
        ['2026-10', 'gpt-4o', 2],
      ]);
    });

    it.each(['yearly', '', 'DAILY', 'daily&period=weekly'])('has no other value: %s is 400', async value => {
      const answer = await get(`period=${value}`);
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ error: 'bad_request', details: [{ field: 'period' }] });
    });
  });

  describe('the dates', () => {
    it('start_date is inclusive', async () => {
      expect(await periods('start_date=2026-11-15')).toEqual(['2026-11-20', '2026-11-20', '2026-11-15']);
      expect(await periods('start_date=2026-11-16')).toEqual(['2026-11-20', '2026-11-20']);
    });

    it('end_date is inclusive to its last moment', async () => {
      expect(await periods('end_date=2026-10-31')).toEqual(['2026-10-31', '2026-10-29']);
      expect(await periods('period=hourly&end_date=2026-10-31')).toEqual([
        '2026-10-31T23:00:00Z',
        '2026-10-29T12:00:00Z',
      ]);
    });

    it('limit the usage, also of a week that is only partly in the range', async () => {
      const items = await allUsage(app.call, `period=weekly&user_id=${bob}&start_date=2026-11-01&end_date=2026-11-19`);
      expect(items.map(item => [item.period, item.estimated_cost_usd])).toEqual([['2026-W44', 1]]);
    });

    it('limit the usage, also of a month that is only partly in the range', async () => {
      const items = await allUsage(app.call, `period=monthly&user_id=${ada}&start_date=2026-11-16&end_date=2026-11-30`);
      expect(items.map(item => [item.period, item.estimated_cost_usd])).toEqual([['2026-11', 0.3]]);
    });

    it.each([
      ['start_date', '2026-02-30'],
      ['start_date', '20.11.2026'],
      ['end_date', '2026-11-20T00:00:00Z'],
      ['end_date', ''],
    ])('%s has the format YYYY-MM-DD: %s is 400', async (field, value) => {
      const answer = await get(`${field}=${encodeURIComponent(value)}`);
      expect(answer.status).toBe(400);
      expect(answer.body.details).toEqual([{ field, message: expect.stringContaining('YYYY-MM-DD') }]);
    });

    it.each(['hourly', 'daily', 'weekly', 'monthly'])('may be up to the last day of the calendar: %s', async period => {
      const whole = (await get(`period=${period}`)).body;
      const answer = await get(`period=${period}&start_date=1970-01-01&end_date=9999-12-31`);
      expect([answer.status, answer.body]).toEqual([200, whole]);
      expect((await get(`period=${period}&start_date=9999-12-31&end_date=9999-12-31`)).body.items).toEqual([]);
      const accept = { accept: 'text/csv' };
      const csv = await app.call('GET', `/v1/usage?period=${period}&end_date=9999-12-31`, undefined, accept);
      expect([csv.status, csv.text.trimEnd().split('\r\n')]).toEqual([200, expect.any(Array)]);
      expect(csv.text.trimEnd().split('\r\n')).toHaveLength(whole.total_count + 1);
    });

    it('are refused if the start is after the end', async () => {
      const answer = await get('start_date=2026-11-21&end_date=2026-11-20');
      expect([answer.status, answer.body.details[0].field]).toEqual([400, 'start_date']);
    });
  });

  describe('the filters', () => {
    it('user_id restricts to one user, in every period', async () => {
      for (const period of ['hourly', 'daily', 'weekly', 'monthly']) {
        const items = await allUsage(app.call, `period=${period}&user_id=${ada.toUpperCase()}`);
        expect(new Set(items.map(item => item.user_id))).toEqual(new Set([ada]));
      }
    });

    it('user_id must be a UUID', async () => {
      expect((await get('user_id=ada')).status).toBe(400);
    });

    it('model restricts to one model name, in every period', async () => {
      for (const period of ['hourly', 'daily', 'weekly', 'monthly']) {
        const items = await allUsage(app.call, `period=${period}&model=claude-sonnet-4-5`);
        expect(items.map(item => [item.user_id, item.model])).toEqual([[bob, 'claude-sonnet-4-5']]);
      }
    });

    it('can be combined', async () => {
      expect((await get(`user_id=${ada}&model=claude-sonnet-4-5`)).body).toEqual({
        items: [],
        next_cursor: null,
        has_more: false,
        total_count: 0,
      });
    });

    it.each(['model=%00', 'model=', 'unknown=1'])('refuse %s', async query => {
      expect((await get(query)).status).toBe(400);
    });
  });

  describe('the pages', () => {
    it.each(['hourly', 'daily', 'weekly', 'monthly'])(
      'return all of %s by cursor without gap or repetition',
      async period => {
        const whole = (await get(`period=${period}&limit=100`)).body.items;
        expect(await allUsage(app.call, `period=${period}`, 1)).toEqual(whole);
        expect(await allUsage(app.call, `period=${period}`, 2)).toEqual(whole);
      },
    );

    it('say how many lines there are, whether more follow, and end with a null cursor', async () => {
      const first = (await get('limit=4')).body;
      expect(first).toMatchObject({ has_more: true, total_count: 6 });
      const last = (await get(`limit=4&cursor=${encodeURIComponent(first.next_cursor)}`)).body;
      expect(last).toMatchObject({ has_more: false, next_cursor: null, total_count: 6 });
      expect(last.items).toHaveLength(2);
    });

    it('refuse a cursor with other filters, an altered one and an old one', async () => {
      const { next_cursor: cursor } = (await get('limit=1')).body;
      const text = encodeURIComponent(cursor);
      expect((await get(`limit=1&period=weekly&cursor=${text}`)).status).toBe(400);
      expect((await get(`limit=1&start_date=2026-01-01&cursor=${text}`)).status).toBe(400);
      expect((await get(`limit=1&cursor=${text.slice(0, -2)}`)).status).toBe(400);
      app.clock.advance(3_600_001);
      expect((await get(`limit=1&cursor=${text}`)).status).toBe(400);
      app.clock.advance(-3_600_001);
    });
  });

  describe('as text/csv', () => {
    const csv = (query: string, accept = 'text/csv') => app.call('GET', `/v1/usage?${query}`, undefined, { accept });

    it('has the complete filtered result, with exact money', async () => {
      const answer = await csv('period=monthly&limit=1');
      expect(answer.headers.get('content-type')).toMatch(/^text\/csv; charset=utf-8/);
      expect(answer.headers.get('vary')).toContain('Accept');
      const lines = answer.text.trimEnd().split('\r\n');
      expect(lines[0]).toBe(
        'period,user_id,user_email,model,provider,total_requests,total_input_tokens,total_output_tokens,' +
          'estimated_cost_usd,cache_read_tokens,cache_write_tokens,reasoning_tokens,unpriced_requests,list_cost_usd',
      );
      expect(lines).toHaveLength(6);
      expect(lines).toContain(
        `2026-11,${ada},ada@example.com,gpt-4o,openai,5,300,60,0.600000000000,0,0,0,0,0.600000000000`,
      );
    });

    it('escapes cells that a spreadsheet would treat as a formula', async () => {
      const { call } = await app.addOrganization();
      const user = await createUser(call, 'eve');
      await report(call, usageEvent({ user_id: user, model: '=HYPERLINK("http://x")', provider: '@evil' }));
      const answer = await call('GET', '/v1/usage', undefined, { accept: 'text/csv' });
      expect(answer.text).toContain(`"'=HYPERLINK(""http://x"")",'@evil`);
    });

    it.each([
      ['text/csv;q=0.1, application/json', 'application/json'],
      ['*/*', 'application/json'],
      ['application/json, text/csv', 'application/json'],
      ['text/csv, */*', 'text/csv'],
    ])('is selected by Accept: %s gives %s', async (accept, type) => {
      expect((await csv('', accept)).headers.get('content-type')).toContain(type);
    });

    it('streams results of several chunks without gap or repetition', async () => {
      const { call } = await app.addOrganization();
      const user = await createUser(call, 'fay');
      const models = Array.from({ length: 2_345 }, (_, index) => `model-${String(index).padStart(4, '0')}`);
      for (let from = 0; from < models.length; from += 1_000) {
        await report(call, ...models.slice(from, from + 1_000).map(model => usageEvent({ user_id: user, model })));
      }
      for (const period of ['hourly', 'daily', 'weekly', 'monthly']) {
        const answer = await call('GET', `/v1/usage?period=${period}`, undefined, { accept: 'text/csv' });
        const lines = answer.text.trimEnd().split('\r\n').slice(1);
        expect(lines.map(line => line.split(',')[3])).toEqual(models);
      }
      expect((await call('GET', '/v1/usage?period=monthly')).body.total_count).toBe(2_345);
    });

    it('answers invalid filters with a JSON error', async () => {
      expect((await csv('period=never')).body).toMatchObject({ error: 'bad_request' });
    });
  });

  describe('access', () => {
    it('lets a member see only their own usage', async () => {
      const member = await app.addToken('member', bob);
      const items = await allUsage(member.call, 'period=daily');
      expect(new Set(items.map(item => item.user_id))).toEqual(new Set([bob]));
      expect((await member.call('GET', `/v1/usage?user_id=${bob}`)).status).toBe(200);
      expect((await member.call('GET', `/v1/usage?user_id=${ada}`)).body).toMatchObject({ error: 'forbidden' });
      const csv = await member.call('GET', '/v1/usage', undefined, { accept: 'text/csv' });
      expect(csv.text).not.toContain(ada);
    });

    it('refuses a credential that may read its own usage but belongs to no user', async () => {
      const nobody = await app.addToken('member');
      expect((await nobody.call('GET', '/v1/usage')).status).toBe(403);
    });

    it('refuses an agent, who may only report', async () => {
      const agent = await app.addToken('agent');
      expect((await agent.call('GET', '/v1/usage')).status).toBe(403);
    });

    it('never shows the usage of another organization', async () => {
      const other = await app.addOrganization();
      expect((await other.call('GET', `/v1/usage?user_id=${ada}`)).body.items).toEqual([]);
      const { next_cursor: cursor } = (await get('limit=1')).body;
      expect((await other.call('GET', `/v1/usage?limit=1&cursor=${encodeURIComponent(cursor)}`)).status).toBe(400);
    });
  });
});
