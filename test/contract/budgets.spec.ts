import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { report, usageEvent } from '../e2e/usage.support.js';
import { startTestApp, type Call, type TestApp } from '../support/test-app.js';
import {
  create,
  createUser,
  expectError,
  expectLimits,
  expectWalk,
  ISO_8601,
  MISSING_IDS,
  UNKNOWN,
  UUID,
  walk,
} from './contract.support.js';

const ALL = { name: 'Everything', scope: 'organization', amount_usd: 100, period: 'daily', enforcement: 'notify' };

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.close());

const createBudget = (call: Call, fields: object = {}) => create(call, '/v1/budgets', { ...ALL, ...fields });
const post = (fields: object) => app.call('POST', '/v1/budgets', { ...ALL, ...fields });
const patch = (id: string, body: object) => app.call('PATCH', `/v1/budgets/${id}`, body);

describe('a budget', () => {
  it('has the given fields, its window and its spending', async () => {
    const budget = await createBudget(app.call);
    expect(budget).toEqual({
      ...ALL,
      id: expect.stringMatching(UUID),
      org_id: app.orgId,
      department: null,
      user_id: null,
      model: null,
      window_start: '2026-11-20T00:00:00.000Z',
      window_end: '2026-11-21T00:00:00.000Z',
      spent_usd: 0,
      reserved_usd: 0,
      remaining_usd: 100,
      projected_exhaustion: null,
      created_at: expect.stringMatching(ISO_8601),
      updated_at: expect.stringMatching(ISO_8601),
    });
    expect((await app.call('GET', `/v1/budgets/${budget.id}`)).body).toEqual(budget);
    expect((await app.call('GET', '/v1/budgets?limit=1')).body.items).toEqual([budget]);
  });

  it('applies to the organization, a department, a user or a model', async () => {
    const { call } = await app.addOrganization();
    const { id: user } = await createUser(call, 'Ada');
    for (const fields of [
      { scope: 'organization' },
      { scope: 'department', department: 'Sales' },
      { scope: 'user', user_id: user },
      { scope: 'model', model: 'gpt-4*' },
    ]) {
      expect(await createBudget(call, fields)).toMatchObject({
        department: null,
        user_id: null,
        model: null,
        ...fields,
      });
    }
    expectError(await post({ scope: 'team' }), 400, 'bad_request', 'scope');
  });

  it('takes exactly the name that its scope needs', async () => {
    const { id: user } = await createUser(app.call, 'Exactly');
    const subjects = { department: 'Sales', user_id: user, model: 'gpt-4o' };
    const needs: Record<string, string | null> = {
      organization: null,
      department: 'department',
      user: 'user_id',
      model: 'model',
    };
    for (const [scope, needed] of Object.entries(needs)) {
      for (const [field, value] of Object.entries(subjects)) {
        const given = needed === null ? {} : { [needed]: subjects[needed as keyof typeof subjects] };
        if (field === needed) {
          expectError(await post({ scope }), 400, 'bad_request', field);
          expectError(await post({ scope, [field]: null }), 400, 'bad_request', field);
        } else {
          expectError(await post({ scope, ...given, [field]: value }), 400, 'bad_request', field);
          expect((await post({ scope, ...given, [field]: null })).status).toBe(201);
        }
      }
    }
  });

  it('applies only to users of the organization', async () => {
    const other = await app.addOrganization();
    const { id: stranger } = await createUser(other.call, 'Stranger');
    for (const user_id of [UNKNOWN, stranger, 'ada']) {
      expectError(await post({ scope: 'user', user_id }), 400, 'bad_request', 'user_id');
    }
    const { id } = await createUser(app.call, 'Upper');
    expect((await createBudget(app.call, { scope: 'user', user_id: id.toUpperCase() })).user_id).toBe(id);
  });

  it.each([
    ['name', ''],
    ['name', ' '],
    ['name', null],
    ['name', 'x'.repeat(256)],
    ['name', 'a\u0000b'],
    ['amount_usd', -1],
    ['amount_usd', '100'],
    ['amount_usd', null],
    ['amount_usd', 1e-13],
    ['amount_usd', 1_000_000_000_001],
    ['period', 'hourly'],
    ['period', null],
    ['enforcement', 'stop'],
    ['enforcement', null],
    ['spent', 1],
  ])('is refused with %s %j', async (field, value) => {
    const answer = await post({ [field]: value });
    expectError(answer, 400, 'bad_request', field);
    expect(answer.body.message).toMatch(new RegExp(`^${field}: \\S`));
  });

  it('requires name, scope, amount_usd, period and enforcement', async () => {
    for (const field of ['name', 'scope', 'amount_usd', 'period', 'enforcement']) {
      expectError(await post({ [field]: undefined }), 400, 'bad_request', field);
    }
  });

  it('keeps its amount exactly, from zero to the largest', async () => {
    for (const amount of [0, 0.1, 1e-12, 123_456.789_012, 1e12]) {
      const { id } = await createBudget(app.call, { amount_usd: amount });
      expect((await app.call('GET', `/v1/budgets/${id}`)).body.amount_usd).toBe(amount);
    }
  });

  it('is not found by another organization', async () => {
    const { id } = await createBudget(app.call);
    const { call } = await app.addOrganization();
    for (const [method, body] of [['GET'], ['PATCH', { name: 'Mine' }], ['DELETE']] as const) {
      const foreign = await call(method, `/v1/budgets/${id}`, body);
      const missing = await call(method, `/v1/budgets/${UNKNOWN}`, body);
      expectError(foreign, 404, 'not_found');
      expect(foreign.body.message.replace(id, '')).toBe(missing.body.message.replace(UNKNOWN, ''));
    }
    expect((await call('GET', '/v1/budgets')).body.items).toEqual([]);
  });
});

describe('the window of a budget', () => {
  it('is a day, a week from Monday or a month in the time zone of the organization', async () => {
    const { call } = await app.addOrganization();
    await call('PATCH', '/v1/organization', { time_zone: 'Asia/Kathmandu' });
    const windows = [];
    for (const period of ['daily', 'weekly', 'monthly']) {
      const { window_start, window_end } = await createBudget(call, { period });
      windows.push([window_start, window_end]);
    }
    expect(windows).toEqual([
      ['2026-11-19T18:15:00.000Z', '2026-11-20T18:15:00.000Z'],
      ['2026-11-15T18:15:00.000Z', '2026-11-22T18:15:00.000Z'],
      ['2026-10-31T18:15:00.000Z', '2026-11-30T18:15:00.000Z'],
    ]);
  });
});

describe('the spending of a budget', () => {
  it('changes as soon as usage is reported: spent, remaining and the projected time of exhaustion', async () => {
    const { call } = await app.addOrganization();
    const { id: user } = await createUser(call, 'Spender');
    const { id } = await createBudget(call, { amount_usd: 10 });
    await report(call, usageEvent({ user_id: user, cost_usd: '7.5' }));
    const { body } = await call('GET', `/v1/budgets/${id}`);
    expect(body).toMatchObject({ spent_usd: 7.5, reserved_usd: 0, remaining_usd: 2.5 });
    // At noon, three quarters of the budget were spent in twelve hours.
    expect(body.projected_exhaustion).toBe('2026-11-20T16:00:00.000Z');
    await report(call, usageEvent({ user_id: user, cost_usd: '3.000000000001' }));
    const after = (await call('GET', '/v1/budgets')).body.items[0];
    expect(after).toMatchObject({ spent_usd: 10.500000000001, remaining_usd: 0 });
    expect(Date.parse(after.projected_exhaustion)).not.toBeNaN();
  });

  it('is zero in a window that has just begun', async () => {
    const own = await startTestApp();
    try {
      const { id: user } = await createUser(own.call, 'Ada');
      const { id } = await createBudget(own.call);
      await report(own.call, usageEvent({ user_id: user, cost_usd: '1' }));
      own.clock.advance(24 * 60 * 60 * 1000);
      expect((await own.call('GET', `/v1/budgets/${id}`)).body).toMatchObject({
        window_start: '2026-11-21T00:00:00.000Z',
        spent_usd: 0,
        remaining_usd: 100,
        projected_exhaustion: null,
      });
    } finally {
      await own.close();
    }
  });

  it('begins with the usage of the window before the budget was created', async () => {
    const { call } = await app.addOrganization();
    const { id: ada } = await createUser(call, 'Ada', { department: 'Sales' });
    const { id: bob } = await createUser(call, 'Bob');
    await report(
      call,
      usageEvent({ user_id: ada, model: 'gpt-4o', cost_usd: '1' }),
      usageEvent({ user_id: ada, model: 'claude-sonnet-4-5', cost_usd: '2' }),
      usageEvent({ user_id: bob, model: 'GPT-4o-mini', cost_usd: '4' }),
      usageEvent({ user_id: bob, model: 'gpt-4o', cost_usd: '8', occurred_at: '2026-11-19T23:59:59Z' }),
    );
    const spent = async (fields: object) => (await createBudget(call, fields)).spent_usd;
    expect(await spent({})).toBe(7);
    expect(await spent({ period: 'monthly' })).toBe(15);
    expect(await spent({ scope: 'department', department: 'Sales' })).toBe(3);
    expect(await spent({ scope: 'department', department: 'sales' })).toBe(0);
    expect(await spent({ scope: 'user', user_id: bob })).toBe(4);
    expect(await spent({ scope: 'model', model: 'gpt-4*' })).toBe(5);
    expect(await spent({ scope: 'model', model: 'gpt-4o', period: 'weekly' })).toBe(9);
  });
});

describe('changing a budget', () => {
  it('changes name, amount and enforcement, if the body has them', async () => {
    const budget = await createBudget(app.call);
    expect((await patch(budget.id, { name: 'Less' })).body).toMatchObject({ name: 'Less', amount_usd: 100 });
    const { body, status } = await patch(budget.id, { amount_usd: 50, enforcement: 'block' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ name: 'Less', amount_usd: 50, enforcement: 'block', remaining_usd: 50 });
    expect(Date.parse(body.updated_at)).toBeGreaterThan(Date.parse(budget.updated_at));
    expect((await app.call('GET', `/v1/budgets/${budget.id}`)).body).toEqual(body);
  });

  it('accepts the body of a read and then changes nothing', async () => {
    const budget = await createBudget(app.call, { scope: 'model', model: 'gpt-4o' });
    expect((await patch(budget.id, budget)).body).toEqual(budget);
    expect((await patch(budget.id, {})).body).toEqual(budget);
  });

  it('refuses to change the scope, and says to create another budget', async () => {
    const { id: user } = await createUser(app.call, 'Another');
    const { id } = await createBudget(app.call, { scope: 'department', department: 'Sales' });
    for (const [field, value] of [
      ['scope', 'organization'],
      ['department', 'Support'],
      ['department', null],
      ['user_id', user],
      ['model', 'gpt-4o'],
      ['period', 'weekly'],
    ] as const) {
      const answer = await patch(id, { [field]: value });
      expectError(answer, 400, 'bad_request', field);
      expect(answer.body.message).toContain('make another budget');
    }
  });

  it('refuses invalid values', async () => {
    const { id } = await createBudget(app.call);
    for (const [field, value] of [
      ['name', ''],
      ['name', null],
      ['amount_usd', -1],
      ['amount_usd', null],
      ['enforcement', 'stop'],
      ['colour', 'red'],
    ] as const) {
      expectError(await patch(id, { [field]: value }), 400, 'bad_request', field);
    }
  });
});

describe('deletion of a budget', () => {
  it('answers 204, and the budget no longer exists', async () => {
    const { id } = await createBudget(app.call);
    expect(await app.call('DELETE', `/v1/budgets/${id}`)).toMatchObject({ status: 204, text: '' });
    for (const method of ['GET', 'DELETE']) expectError(await app.call(method, `/v1/budgets/${id}`), 404, 'not_found');
    expectError(await patch(id, { name: 'Back' }), 404, 'not_found');
  });

  it('answers 404 to an unknown id', async () => {
    for (const id of MISSING_IDS) expectError(await app.call('DELETE', `/v1/budgets/${id}`), 404, 'not_found');
  });
});

describe('the list of budgets', () => {
  it('has cursor pagination, newest first, a count and filters', async () => {
    const { call } = await app.addOrganization();
    for (let at = 0; at < 27; at++) {
      const fields = at % 3 === 0 ? { scope: 'model', model: `m-${at}`, enforcement: 'block' } : {};
      await createBudget(call, { name: `Budget ${at}`, ...fields });
    }
    await expectLimits(call, '/v1/budgets', 27);
    await expectWalk(call, '/v1/budgets', 27);
    const [all = []] = await walk(call, '/v1/budgets', 100);
    // Budgets created in the same millisecond may come in any order.
    const times = all.map(budget => Date.parse(budget.created_at));
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    for (const [query, count] of [
      ['scope=model', 9],
      ['scope=organization', 18],
      ['scope=user', 0],
      ['enforcement=block', 9],
      ['scope=model&enforcement=notify', 0],
    ] as const) {
      const { body } = await call('GET', `/v1/budgets?${query}&limit=5`);
      expect({ query, total: body.total_count, shown: body.items.length }).toEqual({
        query,
        total: count,
        shown: Math.min(count, 5),
      });
    }
    expect((await walk(call, '/v1/budgets?scope=model', 4)).flat()).toHaveLength(9);
    expectError(await call('GET', '/v1/budgets?scope=team'), 400, 'bad_request', 'scope');
    const { next_cursor: cursor } = (await call('GET', '/v1/budgets?scope=model&limit=5')).body;
    const other = `/v1/budgets?scope=organization&cursor=${encodeURIComponent(cursor)}`;
    expectError(await call('GET', other), 400, 'bad_request', 'cursor');
  });
});

describe('who may do what with budgets', () => {
  it('lets an auditor read, and refuses an agent and a member', async () => {
    const { id } = await createBudget(app.call);
    const auditor = (await app.addToken('auditor')).call;
    expect((await auditor('GET', '/v1/budgets')).status).toBe(200);
    expect((await auditor('GET', `/v1/budgets/${id}`)).status).toBe(200);
    expectError(await auditor('POST', '/v1/budgets', ALL), 403, 'forbidden');
    expectError(await auditor('PATCH', `/v1/budgets/${id}`, { name: 'x' }), 403, 'forbidden');
    expectError(await auditor('DELETE', `/v1/budgets/${id}`), 403, 'forbidden');
    const agent = (await app.addToken('agent')).call;
    expectError(await agent('GET', '/v1/budgets'), 403, 'forbidden');
    expectError(await app.as(null)('GET', '/v1/budgets'), 401, 'unauthorized');
  });

  it('writes every change to the audit log, with the values before and after', async () => {
    const { call } = await app.addOrganization();
    const { id } = await createBudget(call);
    await call('PATCH', `/v1/budgets/${id}`, { amount_usd: 7 });
    await call('PATCH', `/v1/budgets/${id}`, { amount_usd: 7 });
    await call('DELETE', `/v1/budgets/${id}`);
    const { body } = await call('GET', `/v1/audit-log?resource_type=budget&resource_id=${id}`);
    const shown = body.items.map((row: Record<string, { amount_usd: number } | null>) => [
      row['action'],
      row['before']?.amount_usd,
      row['after']?.amount_usd,
    ]);
    expect(shown).toEqual([
      ['budget.deleted', 7, undefined],
      ['budget.updated', 100, 7],
      ['budget.created', undefined, 100],
    ]);
  });
});
