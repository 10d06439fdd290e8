import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { UserDirectory, type DirectoryUser, type UserReference } from '#core';
import { report, usageEvent } from '../e2e/usage.support.js';
import { startTestApp, type Answer, type Call, type TestApp } from '../support/test-app.js';
import { createUser, expectError, expectLimits, expectWalk, UUID } from './contract.support.js';

/** A host's directory that knows users by id only. */
class NamelessDirectory extends UserDirectory {
  override async find(_orgId: string, references: readonly UserReference[]): Promise<(DirectoryUser | undefined)[]> {
    const person = { email: '', name: '', department: null, role: 'member', status: 'active', attributes: {} } as const;
    return references.map(({ user_id: id }) => (id === undefined ? undefined : { id, ...person }));
  }

  override async emails(): Promise<Map<string, string>> {
    return new Map();
  }

  override async recordActivity(): Promise<void> {}
}

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.close());

/** An organization with two users. */
async function organization(): Promise<{ call: Call; ada: string; bob: string }> {
  const { call } = await app.addOrganization();
  return { call, ada: (await createUser(call, 'Ada')).id, bob: (await createUser(call, 'Bob')).id };
}

async function items(call: Call, query = ''): Promise<Answer['body'][]> {
  const { status, body } = await call('GET', `/v1/usage?${query}`);
  expect(status).toBe(200);
  return body.items;
}

describe('a usage summary', () => {
  it('spec 2.4: a summary has user, model, provider, period and all totals', async () => {
    const { call, ada } = await organization();
    await report(call, usageEvent({ user_id: ada, input_tokens: 100, output_tokens: 20, cost_usd: '0.25' }));
    expect(await items(call)).toEqual([
      expect.objectContaining({
        user_id: ada,
        user_email: 'ada@example.com',
        model: 'gpt-4o',
        provider: 'openai',
        period: '2026-11-20',
        total_requests: 1,
        total_input_tokens: 100,
        total_output_tokens: 20,
        estimated_cost_usd: 0.25,
      }),
    ]);
  });

  it('spec 2.4: user_id is a UUID, and user_email is left out where none is known', async () => {
    const { call, ada } = await organization();
    await report(call, usageEvent({ user_email: 'ADA@example.com' }));
    const [known] = await items(call);
    expect(known.user_id).toMatch(UUID);
    expect(known).toMatchObject({ user_id: ada, user_email: 'ada@example.com' });
    const host = await startTestApp({ userDirectory: NamelessDirectory });
    try {
      const somebody = randomUUID();
      await report(host.call, usageEvent({ user_id: somebody }));
      const [unnamed] = await items(host.call);
      expect(unnamed.user_id).toBe(somebody);
      expect(unnamed).not.toHaveProperty('user_email');
    } finally {
      await host.close();
    }
  });

  it('spec 2.4: usage adds up per user, model, provider and period', async () => {
    const { call, ada, bob } = await organization();
    const event = (fields: object) => usageEvent({ input_tokens: 10, output_tokens: 1, cost_usd: '0.1', ...fields });
    await report(
      call,
      event({ user_id: ada }),
      event({ user_id: ada, occurred_at: '2026-11-20T00:00:00Z', requests: 4 }),
      event({ user_id: ada, occurred_at: '2026-11-19T23:59:59Z' }),
      event({ user_id: ada, model: 'gpt-4o-mini' }),
      event({ user_id: ada, provider: 'azure' }),
      event({ user_id: bob }),
    );
    // A second report of the same group adds to its sums.
    await report(call, event({ user_id: ada }));
    const groups = (await items(call)).map(item => [
      [item.user_id === ada ? 'ada' : 'bob', item.model, item.provider, item.period].join(' '),
      [item.total_requests, item.total_input_tokens, item.total_output_tokens, item.estimated_cost_usd],
    ]);
    expect(groups).toHaveLength(5);
    expect(Object.fromEntries(groups)).toEqual({
      'ada gpt-4o openai 2026-11-20': [6, 30, 3, 0.3],
      'ada gpt-4o openai 2026-11-19': [1, 10, 1, 0.1],
      'ada gpt-4o-mini openai 2026-11-20': [1, 10, 1, 0.1],
      'ada gpt-4o azure 2026-11-20': [1, 10, 1, 0.1],
      'bob gpt-4o openai 2026-11-20': [1, 10, 1, 0.1],
    });
  });

  it('spec 2.4: the label of a daily period is YYYY-MM-DD', async () => {
    const { call, ada } = await organization();
    await report(
      call,
      usageEvent({ user_id: ada, occurred_at: '2026-11-05T00:00:00Z' }),
      usageEvent({ user_id: ada, occurred_at: '2026-10-31T23:59:59.999Z' }),
    );
    const labels = (await items(call, 'period=daily')).map(item => item.period);
    expect(labels).toEqual(['2026-11-05', '2026-10-31']);
  });

  it('spec 2.4: total_requests, total_input_tokens and total_output_tokens are integers', async () => {
    const { call, ada } = await organization();
    const big = 3_000_000_000;
    const many = { input_tokens: big, output_tokens: big - 1, requests: 2 };
    await report(call, usageEvent({ user_id: ada, ...many }), usageEvent({ user_id: ada, ...many }));
    const { text } = await call('GET', '/v1/usage');
    // Integers in the JSON text: neither quoted, nor with a fraction or an exponent.
    expect(text).toMatch(/"total_requests":4[,}]/);
    expect(text).toMatch(/"total_input_tokens":6000000000[,}]/);
    expect(text).toMatch(/"total_output_tokens":5999999998[,}]/);
  });

  it('spec 2.4: estimated_cost_usd is a number of US dollars from provider pricing', async () => {
    const { call, ada } = await organization();
    const million = { user_id: ada, input_tokens: 1_000_000, output_tokens: 1_000_000 };
    await report(call, usageEvent({ ...million, model: 'gpt-4o', provider: 'openai' }));
    // The provider's prices: 2.50 per million input tokens, 10 per million output tokens.
    const [summary] = await items(call, 'model=gpt-4o');
    expect(summary.estimated_cost_usd).toBe(12.5);
    const price = { provider: 'acme', model: 'acme-1', input_per_million_usd: 0.5, output_per_million_usd: 1.25 };
    expect((await call('PUT', '/v1/prices', price)).status).toBe(200);
    await report(call, usageEvent({ ...million, model: 'acme-1', provider: 'acme' }));
    const [own] = await items(call, 'model=acme-1');
    expect(own.estimated_cost_usd).toBe(1.75);
  });
});

describe('GET /v1/usage', () => {
  it('spec 4.6: 200 with a page of usage summaries', async () => {
    const { call, ada, bob } = await organization();
    expect((await call('GET', '/v1/usage')).body).toMatchObject({ items: [], next_cursor: null, has_more: false });
    await report(call, usageEvent({ user_id: ada }), usageEvent({ user_id: bob }));
    const { status, body } = await call('GET', '/v1/usage');
    expect(status).toBe(200);
    expect(body).toMatchObject({ next_cursor: null, has_more: false, total_count: 2 });
    expect(new Set(body.items.map((item: { user_id: string }) => item.user_id))).toEqual(new Set([ada, bob]));
  });

  it('spec 4.6: every parameter is optional', async () => {
    const { call, ada } = await organization();
    await report(call, usageEvent({ user_id: ada }));
    const all = await items(call);
    expect(all).toHaveLength(1);
    for (const query of [
      'period=daily',
      'start_date=2026-11-20',
      'end_date=2026-11-20',
      `user_id=${ada}`,
      'model=gpt-4o',
      'limit=5',
    ]) {
      expect(await items(call, query)).toEqual(all);
    }
  });

  it('spec 4.6: period is hourly, daily, weekly or monthly with default daily', async () => {
    const { call, ada } = await organization();
    const at = (occurred_at: string) => usageEvent({ user_id: ada, occurred_at });
    await report(
      call,
      // Usage in two hours of a Friday, on the Wednesday and the Sunday before it, and in the previous month.
      ...['2026-11-20T11:30:00Z', '2026-11-20T10:59:59Z', '2026-11-18T10:00:00Z'].map(at),
      ...['2026-11-15T23:59:59Z', '2026-10-31T23:59:59Z'].map(at),
    );
    const counts = async (query: string) => (await items(call, query)).map(item => [item.period, item.total_requests]);
    const daily = [
      ['2026-11-20', 2],
      ['2026-11-18', 1],
      ['2026-11-15', 1],
      ['2026-10-31', 1],
    ];
    expect(await counts('')).toEqual(daily);
    expect(await counts('period=daily')).toEqual(daily);
    expect(await counts('period=hourly')).toEqual([
      ['2026-11-20T11:00:00Z', 1],
      ['2026-11-20T10:00:00Z', 1],
      ['2026-11-18T10:00:00Z', 1],
      ['2026-11-15T23:00:00Z', 1],
      ['2026-10-31T23:00:00Z', 1],
    ]);
    expect(await counts('period=weekly')).toEqual([
      ['2026-W47', 3],
      ['2026-W46', 1],
      ['2026-W44', 1],
    ]);
    expect(await counts('period=monthly')).toEqual([
      ['2026-11', 4],
      ['2026-10', 1],
    ]);
    for (const period of ['yearly', 'Daily', '']) {
      expectError(await call('GET', `/v1/usage?period=${period}`), 400, 'bad_request', 'period');
    }
  });

  it('spec 4.6: start_date and end_date are YYYY-MM-DD and inclusive', async () => {
    const { call, ada } = await organization();
    const times = ['2026-11-11T00:00:00Z', '2026-11-12T00:00:00Z', '2026-11-13T23:59:59.999Z', '2026-11-14T00:00:00Z'];
    await report(call, ...times.map(occurred_at => usageEvent({ user_id: ada, occurred_at })));
    const days = async (query: string) => (await items(call, query)).map(item => item.period.slice(8, 10)).toReversed();
    expect(await days('start_date=2026-11-12')).toEqual(['12', '13', '14']);
    expect(await days('end_date=2026-11-13')).toEqual(['11', '12', '13']);
    expect(await days('start_date=2026-11-12&end_date=2026-11-13')).toEqual(['12', '13']);
    expect(await days('start_date=2026-11-12&end_date=2026-11-12')).toEqual(['12']);
    expect(await days('period=hourly&start_date=2026-11-13&end_date=2026-11-13')).toEqual(['13']);
    const [month] = await items(call, 'period=monthly&start_date=2026-11-12&end_date=2026-11-13');
    expect(month).toMatchObject({ period: '2026-11', total_requests: 2 });
    for (const field of ['start_date', 'end_date']) {
      for (const value of ['2026-02-30', '20.11.2026', '2026-11-20T00:00:00Z', '2026-1-2', '']) {
        expectError(await call('GET', `/v1/usage?${field}=${value}`), 400, 'bad_request', field);
      }
    }
  });

  it('spec 4.6: user_id restricts to one user', async () => {
    const { call, ada, bob } = await organization();
    await report(call, usageEvent({ user_id: ada }), usageEvent({ user_id: bob, model: 'gpt-4o-mini' }));
    expect(await items(call, `user_id=${bob}`)).toEqual([
      expect.objectContaining({ user_id: bob, model: 'gpt-4o-mini', total_requests: 1 }),
    ]);
    expect(await items(call, `user_id=${randomUUID()}`)).toEqual([]);
    expectError(await call('GET', '/v1/usage?user_id=bob'), 400, 'bad_request', 'user_id');
  });

  it('spec 4.6: model restricts to one model', async () => {
    const { call, ada, bob } = await organization();
    await report(
      call,
      usageEvent({ user_id: ada }),
      usageEvent({ user_id: ada, model: 'gpt-4o-mini' }),
      usageEvent({ user_id: bob, model: 'gpt-4o-mini' }),
    );
    const found = await items(call, 'model=gpt-4o-mini');
    expect(found.map(item => item.model)).toEqual(['gpt-4o-mini', 'gpt-4o-mini']);
    expect(new Set(found.map(item => item.user_id))).toEqual(new Set([ada, bob]));
    expect(await items(call, 'model=gpt')).toEqual([]);
  });

  it('spec 4.6: cursor continues the list', async () => {
    const { call, ada, bob } = await organization();
    const days = ['2026-11-17T01:00:00Z', '2026-11-18T01:00:00Z', '2026-11-19T01:00:00Z'];
    for (const user_id of [ada, bob]) {
      for (const model of ['gpt-4o', 'gpt-4o-mini']) {
        await report(call, ...days.map(occurred_at => usageEvent({ user_id, model, occurred_at })));
      }
    }
    for (const period of ['hourly', 'daily']) await expectWalk(call, `/v1/usage?period=${period}`, 12);
    for (const period of ['weekly', 'monthly']) await expectWalk(call, `/v1/usage?period=${period}`, 4);
    await expectWalk(call, `/v1/usage?user_id=${ada}&start_date=2026-11-18`, 4);
  });

  it('spec 4.6: limit is 1 to 100 with default 25', async () => {
    const { call, ada } = await organization();
    await report(call, ...Array.from({ length: 104 }, (_, at) => usageEvent({ user_id: ada, model: `model-${at}` })));
    for (const period of ['hourly', 'daily', 'weekly', 'monthly']) {
      await expectLimits(call, `/v1/usage?period=${period}`, 104);
    }
  });
});
