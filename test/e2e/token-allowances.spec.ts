import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { AuditLog } from '#access';
import { AllowanceUpkeep } from '../../libs/usage/tokens/allowance-upkeep.js';
import { startTestApp, type Answer, type Call, type TestApp } from '../support/test-app.js';
import { usageEvent } from './usage.support.js';

const PRICE = { provider: 'acme', model: 'acme-1', input_per_million_usd: 1, output_per_million_usd: 1 };
const BUDGET = { amount_usd: 1, period: 'monthly' };
const KEY = { name: 'gateway', role: 'agent', project: 'copilot' };

describe('a token with its own budget and limits', () => {
  let app: TestApp;
  let user: string;

  beforeAll(async () => {
    app = await startTestApp();
    await app.call('PUT', '/v1/prices', PRICE);
    user = (await app.call('POST', '/v1/users', { email: 'ada@example.com', name: 'Ada' })).body.id;
  });

  afterAll(() => app?.close());

  const make = (fields: object, call: Call = app.call): Promise<Answer> =>
    call('POST', '/v1/tokens', { ...KEY, ...fields });

  const decide = async (token: string, tokens: number): Promise<Answer['body']> => {
    const { provider, model } = PRICE;
    const request = { provider, model, user_id: user, estimated_input_tokens: tokens, max_output_tokens: 0 };
    return (await app.as(token)('POST', '/v1/decisions', request)).body;
  };

  it('shows both at creation and in lists, and is refused above them', async () => {
    const { status, body } = await make({ budget: BUDGET, limits: { requests_per_minute: 2 } });
    expect(status).toBe(201);
    const budget = { id: expect.any(String), amount_usd: 1, period: 'monthly', enforcement: 'block' };
    const limits = {
      ...{ id: expect.any(String), requests_per_minute: 2, tokens_per_minute: null, concurrent_requests: null },
    };
    expect(body).toMatchObject({ budget, limits, spent_usd: 0 });
    const listed = (await app.call('GET', `/v1/tokens?project=copilot`)).body.items;
    const { token, ...shown } = body;
    expect(listed.find(({ id }: { id: string }) => id === body.id)).toEqual(shown);

    expect((await decide(token, 600_000)).allowed).toBe(true);
    expect(await decide(token, 600_000)).toMatchObject({ allowed: false, reason: 'budget_exceeded' });
    expect(await decide(token, 1)).toMatchObject({ allowed: false, reason: 'rate_limited' });
    // A token that is created without these fields has neither budget nor limits.
    const other = (await make({})).body;
    expect(other).toMatchObject({ budget: null, limits: null, spent_usd: 0 });
    expect((await decide(other.token, 600_000)).allowed).toBe(true);
    expect((await app.call('GET', `/v1/budgets/${body.budget.id}`)).body.scope).toEqual({ token: body.id });
    expect((await app.call('GET', `/v1/limits/${body.limits.id}`)).body.scope).toEqual({ token: body.id });
  });

  it('keeps both when it is rotated', async () => {
    const { body } = await make({ budget: BUDGET });
    const rotated = await app.call('POST', `/v1/tokens/${body.id}/rotate`, {});
    expect(rotated.body).toMatchObject({ id: body.id, budget: body.budget, limits: null });
  });

  it('deletes both when it ends, so that others can be created', async () => {
    const { orgId, call } = await app.addOrganization();
    const one = (await make({ budget: BUDGET, limits: { requests_per_minute: 1 } }, call)).body;
    const left = (await make({ budget: BUDGET, limits: { requests_per_minute: 1 } }, call)).body;
    // When the token `maker` is revoked, the token that it has created is revoked, too.
    const maker = (await make({ role: 'admin', project: null }, call)).body;
    const made = await make({ name: 'made', role: 'auditor', project: null, budget: BUDGET }, app.as(maker.token));
    expect(made.status).toBe(201);
    const more = { name: 'More', scope: { token: one.id, model: 'gpt-*' } };
    await call('POST', '/v1/budgets', { ...more, ...BUDGET, enforcement: 'notify' });
    const shared = { name: 'Each', scope: 'organization', split_by: 'token', requests_per_minute: 9 };
    const each = (await call('POST', '/v1/limits', shared)).body.id;
    const limits: string[] = [left.limits.id, each];
    limits.sort();
    const remaining = async () => {
      const answers = await Promise.all(['budgets', 'limits'].map(path => call('GET', `/v1/${path}`)));
      return answers.map(({ body }) => body.items.map(({ id }: { id: string }) => id).toSorted());
    };
    expect((await remaining()).map(({ length }) => length)).toEqual([4, 3]);

    for (const { id } of [one, maker]) expect((await call('DELETE', `/v1/tokens/${id}`)).status).toBe(204);
    expect(await remaining()).toEqual([[left.budget.id], limits]);
    const audit = (await call('GET', '/v1/audit-log?limit=100')).body.items;
    expect(audit.map(({ action }: { action: string }) => action)).toEqual(
      expect.arrayContaining(['budget.deleted', 'limit.deleted']),
    );

    // The hourly job removes the budgets and limits of expired tokens.
    const upkeep = app.app.get(AllowanceUpkeep, { strict: false });
    await upkeep.run();
    expect(await remaining()).toEqual([[left.budget.id], limits]);
    await app.database.asOwner('update governance.access_tokens set expires_at = $2 where org_id = $1 and id = $3', [
      ...[orgId, app.clock.now(), left.id],
    ]);
    await upkeep.run();
    expect(await remaining()).toEqual([[], [each]]);
  });

  it("lists its spending in the organization's current month", async () => {
    const { call } = await app.addOrganization();
    await call('PATCH', '/v1/organization', { time_zone: 'Asia/Kathmandu' });
    const person = (await call('POST', '/v1/users', { email: 'bob@example.com', name: 'Bob' })).body.id;
    const one = (await make({ role: 'agent' }, call)).body;
    const two = (await make({ role: 'agent', project: 'chat', user_id: person }, call)).body;
    const report = (token: string, ...events: object[]) => app.as(token)('POST', '/v1/usage/events', { events });
    const at = (occurred_at: string, cost_usd: string) => usageEvent({ user_id: person, occurred_at, cost_usd });
    // In the organization's time zone, the month began at 18:15 UTC.
    const events = [
      at('2026-10-31T18:14:59Z', '100'),
      at('2026-10-31T18:15:00Z', '0.25'),
      at('2026-11-19T10:00:00Z', '2'),
    ];
    expect((await report(one.token, ...events)).body.accepted).toBe(3);
    await report(two.token, at('2026-11-20T10:00:00Z', '7'));
    const spent = async (query: string) =>
      (await call('GET', `/v1/tokens?${query}`)).body.items.map((item: Answer['body']) => [item.id, item.spent_usd]);
    expect(await spent('project=copilot')).toEqual([[one.id, 2.25]]);
    expect(await spent(`user_id=${person}`)).toEqual([[two.id, 7]]);
  });

  it.each([
    [{ budget: { amount_usd: -1, period: 'monthly' } }, 'budget.amount_usd'],
    [{ budget: { amount_usd: 1 } }, 'budget'],
    [{ budget: { amount_usd: 1, period: 'monthly', scope: 'organization' } }, 'budget'],
    [{ limits: {} }, 'limits'],
    [{ limits: { requests_per_minute: 0 } }, 'limits'],
    [{ limits: { requests_per_hour: 5 } }, 'limits'],
  ])('is refused with %j', async (fields, field) => {
    const before = (await app.call('GET', '/v1/tokens?limit=100')).body.items.length;
    expect(await make(fields)).toMatchObject({ status: 400, body: { details: [{ field }] } });
    expect((await app.call('GET', '/v1/tokens?limit=100')).body.items).toHaveLength(before);
  });

  it('is not created without the right to create budgets', async () => {
    const { token } = (await make({ role: 'admin', project: null, scopes: ['tokens:write', 'decisions:write'] })).body;
    expect(await make({ scopes: ['decisions:write'], project: null, budget: BUDGET }, app.as(token))).toMatchObject({
      status: 403,
    });
  });

  it('is created with its budget or not at all', async () => {
    const { orgId, call } = await app.addOrganization();
    const append = jest.spyOn(app.app.get(AuditLog), 'append').mockImplementation(async (_em, _actor, { action }) => {
      if (action === 'token.created') throw new Error('killed');
    });
    expect((await make({ budget: BUDGET, limits: { concurrent_requests: 1 } }, call)).status).toBe(500);
    append.mockRestore();
    const [left] = await app.database.asOwner(
      `select (select count(*)::integer from governance.access_tokens t where t.org_id = $1 and t.name = 'gateway') as tokens,
         (select count(*)::integer from governance.budgets b where b.org_id = $1) as budgets,
         (select count(*)::integer from governance.limits l where l.org_id = $1) as limits`,
      [orgId],
    );
    expect(left).toEqual({ tokens: 0, budgets: 0, limits: 0 });
  });
});
