import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type Call, type TestApp } from '../support/test-app.js';
import { addBudget, addPerson } from './spend.support.js';

let app: TestApp;
let call: Call;
let userId: string;

beforeAll(async () => {
  app = await startTestApp();
  ({ call } = await app.addOrganization());
  userId = await addPerson(call, 'Sales');
});

afterAll(async () => {
  await app?.close();
});

const HOUR = 3_600_000;

const withToken =
  (token: string): Call =>
  (method, path, body, headers) =>
    app.call(method, path, body, { ...headers, authorization: `Bearer ${token}` });

async function newToken(as: Call, more: object = {}): Promise<{ id: string; token: string }> {
  const { status, body, text } = await as('POST', '/v1/tokens', { name: 'key', role: 'agent', ...more });
  if (status !== 201) throw new Error(text);
  return body;
}

const asking = (model = 'gpt-4o', more: object = {}) => ({ user_id: userId, provider: 'openai', model, ...more });

describe('an access token with restrictions', () => {
  it('can be used only for its models', async () => {
    const { token } = await newToken(call, { models: ['gpt-4*'] });
    const as = withToken(token);
    expect((await as('POST', '/v1/decisions', asking('GPT-4o'))).body).toMatchObject({ allowed: true });
    expect((await as('POST', '/v1/decisions', asking('o3'))).body).toMatchObject({
      allowed: false,
      reason: 'model_not_allowed',
    });
    const batch = { requests: [asking('o3'), asking('gpt-4o')] };
    const { body } = await as('POST', '/v1/decisions/batch', batch);
    expect(body.decisions.map(({ allowed }: { allowed: boolean }) => allowed)).toEqual([false, true]);
  });

  it('sets its project and tags, whatever the request says', async () => {
    const { id, token } = await newToken(call, { project: 'apollo', tags: { team: 'search' } });
    const as = withToken(token);
    const policy = { name: 'Apollo', action: 'block', conditions: { project: { eq: 'apollo' } }, model: 'o1' };
    await call('POST', '/v1/policies', policy);
    await call('POST', '/v1/policies', {
      ...policy,
      name: 'Search',
      conditions: { 'tags.team': { eq: 'search' } },
      model: 'o2',
    });
    for (const model of ['o1', 'o2']) {
      const claimed = asking(model, { project: 'other', tags: { team: 'ads', more: 'x' } });
      expect((await as('POST', '/v1/decisions', claimed)).body).toMatchObject({ reason: 'policy', allowed: false });
      expect((await call('POST', '/v1/decisions', claimed)).body).toMatchObject({ allowed: true });
    }
    const { body } = await call('GET', '/v1/tokens?project=apollo');
    expect(body.items).toMatchObject([{ id, project: 'apollo', tags: { team: 'search' }, models: null }]);
  });

  it('has its own budget and limit', async () => {
    const { id, token } = await newToken(call);
    const budget = await addBudget(call, 0, { scope: { token: id } });
    const refused = await withToken(token)('POST', '/v1/decisions', asking());
    expect(refused.body).toMatchObject({ reason: 'budget_exceeded', budgets: [{ id: budget }] });
    expect((await call('POST', '/v1/decisions', asking())).body.allowed).toBe(true);
    await call('DELETE', `/v1/budgets/${budget}`);
    await call('POST', '/v1/limits', { name: 'Key', scope: { token: id }, requests_per_minute: 1 });
    await withToken(token)('POST', '/v1/decisions', asking());
    expect((await withToken(token)('POST', '/v1/decisions', asking())).body.reason).toBe('rate_limited');
  });

  it('creates no token with weaker restrictions, and passes its own on', async () => {
    const { token } = await newToken(call, { role: 'admin', user_id: userId, models: ['gpt-4o'], project: 'p' });
    const as = withToken(token);
    const made = await as('POST', '/v1/tokens', { name: 'next', role: 'agent' });
    expect(made).toMatchObject({ status: 201, body: { models: ['gpt-4o'], project: 'p' } });
    const looser = { name: 'next', role: 'agent', models: ['*'] };
    expect(await as('POST', '/v1/tokens', looser)).toMatchObject({
      status: 400,
      body: { details: [{ field: 'models' }] },
    });
    const { id } = await newToken(call);
    expect(await as('POST', `/v1/tokens/${id}/rotate`, {})).toMatchObject({ status: 403 });
  });
});

describe('a rotated token', () => {
  it('has a new secret at once, and its previous one stays valid for the overlap', async () => {
    const { id, token } = await newToken(call);
    const rotated = await call('POST', `/v1/tokens/${id}/rotate`, { overlap_hours: 2 });
    expect(rotated).toMatchObject({ status: 200, body: { id, previous_until: expect.any(String) } });
    expect(rotated.body.token).not.toBe(token);
    const accepted = async (secret: string): Promise<boolean> =>
      (await withToken(secret)('POST', '/v1/decisions', asking())).status === 200;
    expect([await accepted(token), await accepted(rotated.body.token)]).toEqual([true, true]);
    app.clock.advance(2 * HOUR);
    expect([await accepted(token), await accepted(rotated.body.token)]).toEqual([false, true]);
    const last = await call('POST', `/v1/tokens/${id}/rotate`, { overlap_hours: 0 });
    expect([await accepted(rotated.body.token), await accepted(last.body.token)]).toEqual([false, true]);
    await call('DELETE', `/v1/tokens/${id}`);
    expect(await accepted(last.body.token)).toBe(false);
  });

  it('ends with the access of the user who has rotated it', async () => {
    const admin = await addPerson(call, 'IT');
    const own = await newToken(call, { role: 'admin', user_id: admin });
    const { id } = await newToken(call, { role: 'member', user_id: userId });
    const rotated = await withToken(own.token)('POST', `/v1/tokens/${id}/rotate`, {});
    expect(rotated.body.issued_by).toContain(admin);
    expect((await withToken(rotated.body.token)('GET', '/v1/usage')).status).not.toBe(401);
    expect((await call('DELETE', `/v1/tokens/${own.id}`)).status).toBe(204);
    expect((await withToken(rotated.body.token)('GET', '/v1/usage')).status).toBe(401);
  });

  it('cannot have more rights than the caller, and cannot replace a token that has ended', async () => {
    const manager = await newToken(call, { role: 'admin', user_id: userId, scopes: ['tokens:write', 'tokens:read'] });
    const { id } = await newToken(call, { role: 'agent' });
    const as = withToken(manager.token);
    expect(await as('POST', `/v1/tokens/${id}/rotate`, {})).toMatchObject({ status: 403 });
    await call('DELETE', `/v1/tokens/${id}`);
    expect(await call('POST', `/v1/tokens/${id}/rotate`, {})).toMatchObject({ status: 404 });
    const bad = await call('POST', `/v1/tokens/${id}/rotate`, { overlap_hours: 169 });
    expect(bad).toMatchObject({ status: 400, body: { details: [{ field: 'overlap_hours' }] } });
  });
});
