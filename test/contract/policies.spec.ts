import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/test-app.js';
import {
  createPolicy,
  createUser,
  decide,
  expectError,
  expectLimits,
  expectWalk,
  ISO_8601,
  MISSING_IDS,
  UUID,
} from './contract.support.js';

const FULL = {
  name: 'Research only',
  description: 'Agreed with the works council.\nSee page 3.',
  model: 'gpt-4o',
  action: 'alert',
  conditions: { department: { not_in: ['Research'] } },
  enabled: false,
};
const INVALID: [string, unknown][] = [
  ['name', ''],
  ['name', null],
  ['name', 7],
  ['name', 'x'.repeat(256)],
  ['description', 7],
  ['model', 4],
  ['model', ''],
  ['action', 'deny'],
  ['action', 'BLOCK'],
  ['action', null],
  ['enabled', 'true'],
  ['enabled', null],
  ['conditions', []],
  ['conditions', 'department'],
];

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.close());

const get = (id: string) => app.call('GET', `/v1/policies/${id}`);
const put = (id: string, body: object) => app.call('PUT', `/v1/policies/${id}`, body);
const post = (body: object) => app.call('POST', '/v1/policies', body);
const remove = (id: string) => app.call('DELETE', `/v1/policies/${id}`);

describe('a policy', () => {
  it('spec 2.1: a policy always has id, org_id, name, action, enabled and both timestamps', async () => {
    const created = await createPolicy(app.call);
    const updated = (await put(created.id, { name: 'Another' })).body;
    const listed = (await app.call('GET', '/v1/policies?limit=1')).body.items[0];
    for (const policy of [created, updated, (await get(created.id)).body, listed]) {
      expect(policy).toMatchObject({
        id: expect.any(String),
        org_id: expect.any(String),
        name: expect.any(String),
        action: expect.any(String),
        enabled: expect.any(Boolean),
        created_at: expect.any(String),
        updated_at: expect.any(String),
      });
    }
  });

  it('spec 2.1: id is a UUID and org_id the owning organization', async () => {
    const [first, second] = [await createPolicy(app.call), await createPolicy(app.call)];
    expect(first.id).toMatch(UUID);
    expect(second.id).not.toBe(first.id);
    expect(first.org_id).toBe(app.orgId);
    const other = await app.addOrganization();
    expect((await createPolicy(other.call)).org_id).toBe(other.orgId);
  });

  it('spec 2.1: name is required and has at most 255 characters', async () => {
    expectError(await post({ action: 'block' }), 400, 'bad_request', 'name');
    expectError(await post({ action: 'block', name: 'x'.repeat(256) }), 400, 'bad_request', 'name');
    expect((await createPolicy(app.call, { name: 'x'.repeat(255) })).name).toBe('x'.repeat(255));
    expect((await createPolicy(app.call, { name: 'x' })).name).toBe('x');
  });

  it('spec 2.1: description is optional free text', async () => {
    const description = 'Zoë’s rule:\n\t"no 🦊", <b>never</b>';
    expect((await createPolicy(app.call, { description })).description).toBe(description);
    expect((await createPolicy(app.call)).description ?? null).toBeNull();
  });

  it('spec 2.1: model is a name or null, and null means all models', async () => {
    const { call } = await app.addOrganization();
    const { id: user } = await createUser(call, 'Ada');
    const one = await createPolicy(call, { model: 'gpt-4o', action: 'alert' });
    expect(one.model).toBe('gpt-4o');
    expect((await decide(call, user, 'gpt-4o')).action).toBe('alert');
    expect((await decide(call, user, 'claude-sonnet-4-5')).action).toBe('allow');
    const all = await createPolicy(call, { model: null, action: 'block' });
    expect(all.model).toBeNull();
    for (const model of ['gpt-4o', 'claude-sonnet-4-5', 'tomorrow-1']) {
      expect((await decide(call, user, model)).action).toBe('block');
    }
  });

  it('spec 2.1: action is one of allow, block, alert, require_approval', async () => {
    const { call } = await app.addOrganization();
    const { id: user } = await createUser(call, 'Ada');
    for (const action of ['allow', 'alert', 'require_approval', 'block']) {
      const policy = await createPolicy(call, { action });
      expect(policy.action).toBe(action);
      expect(await decide(call, user)).toMatchObject({ action, policies: [{ id: policy.id }] });
      await call('DELETE', `/v1/policies/${policy.id}`);
    }
    for (const action of ['deny', 'Block', 'require-approval', '', null, ['block'], 1]) {
      expectError(await call('POST', '/v1/policies', { name: 'x', action }), 400, 'bad_request', 'action');
    }
  });

  it('spec 2.1: conditions are optional', async () => {
    const { call } = await app.addOrganization();
    const { id: user } = await createUser(call, 'Ada');
    const policy = await createPolicy(call);
    expect(policy.conditions).toEqual({});
    expect(await decide(call, user)).toMatchObject({ action: 'block', policies: [{ id: policy.id }] });
  });

  it('spec 2.1: enabled defaults to true, and disabled policies are not evaluated', async () => {
    const { call } = await app.addOrganization();
    const { id: user } = await createUser(call, 'Ada');
    await createPolicy(call, { action: 'block', enabled: false });
    expect(await decide(call, user)).toMatchObject({ action: 'allow', policies: [] });
    const enabled = await createPolicy(call, { action: 'alert' });
    expect(enabled.enabled).toBe(true);
    expect(await decide(call, user)).toMatchObject({ action: 'alert', policies: [{ id: enabled.id }] });
  });

  it('spec 2.1: created_at and updated_at are ISO 8601', async () => {
    const policy = await createPolicy(app.call);
    expect(policy.created_at).toMatch(ISO_8601);
    expect(policy.updated_at).toMatch(ISO_8601);
    expect(Date.parse(policy.created_at)).toBe(app.clock.now().getTime());
    app.clock.advance(60_000);
    const updated = (await put(policy.id, { name: 'Another' })).body;
    expect(updated.created_at).toBe(policy.created_at);
    expect(updated.updated_at).toMatch(ISO_8601);
    expect(Date.parse(updated.updated_at)).toBe(app.clock.now().getTime());
  });
});

describe('the states of a policy', () => {
  it('spec 3.1: enabled=false stops evaluation, keeps the configuration and changes updated_at', async () => {
    const { call } = await app.addOrganization();
    const { id: user } = await createUser(call, 'Ada', { department: 'Sales' });
    const policy = await createPolicy(call, { ...FULL, enabled: true });
    expect((await decide(call, user)).action).toBe('alert');
    app.clock.advance(1_000);
    const { status, body } = await call('PUT', `/v1/policies/${policy.id}`, { enabled: false });
    expect(status).toBe(200);
    expect(body).toMatchObject({ ...FULL, enabled: false, created_at: policy.created_at });
    expect(Date.parse(body.updated_at)).toBeGreaterThan(Date.parse(policy.updated_at));
    expect(await decide(call, user)).toMatchObject({ action: 'allow', policies: [] });
    expect((await call('GET', `/v1/policies/${policy.id}`)).body).toEqual(body);
  });

  it('spec 3.1: enabled=true evaluates the policy again', async () => {
    const { call } = await app.addOrganization();
    const { id: user } = await createUser(call, 'Ada');
    const { id } = await createPolicy(call, { enabled: false });
    expect((await decide(call, user)).action).toBe('allow');
    expect((await call('PUT', `/v1/policies/${id}`, { enabled: true })).body.enabled).toBe(true);
    expect(await decide(call, user)).toMatchObject({ action: 'block', policies: [{ id }] });
  });

  it('spec 3.1: a policy is created enabled unless the body says otherwise', async () => {
    for (const [given, enabled] of [
      [{}, true],
      [{ enabled: true }, true],
      [{ enabled: false }, false],
    ] as const) {
      const { status, body } = await post({ name: 'x', action: 'allow', ...given });
      expect([status, body.enabled]).toEqual([201, enabled]);
      expect((await get(body.id)).body.enabled).toBe(enabled);
    }
  });

  it('spec 3.1: a deleted policy is gone for good', async () => {
    const { call } = await app.addOrganization();
    const { id: user } = await createUser(call, 'Ada');
    for (const enabled of [true, false]) {
      const { id } = await createPolicy(call, { enabled });
      expect((await call('DELETE', `/v1/policies/${id}`)).status).toBe(204);
      expectError(await call('PUT', `/v1/policies/${id}`, { enabled: true }), 404, 'not_found');
      expectError(await call('GET', `/v1/policies/${id}`), 404, 'not_found');
    }
    expect(await decide(call, user)).toMatchObject({ action: 'allow', policies: [] });
  });
});

describe('GET /v1/policies', () => {
  it('spec 4.1: 200 with a page of policies', async () => {
    const { call } = await app.addOrganization();
    const policies = [await createPolicy(call), await createPolicy(call, FULL)];
    const { status, body } = await call('GET', '/v1/policies');
    expect(status).toBe(200);
    expect(body).toMatchObject({ next_cursor: null, has_more: false, total_count: 2 });
    expect(body.items).toHaveLength(2);
    expect(body.items).toEqual(expect.arrayContaining(policies));
  });

  it('spec 4.1: limit is 1 to 100 with default 25', async () => {
    const { call } = await app.addOrganization();
    for (let made = 0; made < 103; made++) await createPolicy(call);
    await expectLimits(call, '/v1/policies', 103);
  });

  it('spec 4.1: cursor continues the list', async () => {
    const { call } = await app.addOrganization();
    for (let made = 0; made < 7; made++) await createPolicy(call, { name: `Policy ${made}` });
    await expectWalk(call, '/v1/policies', 7);
  });
});

describe('POST /v1/policies', () => {
  it('spec 4.2: 201 with the created policy', async () => {
    const { status, body } = await post(FULL);
    expect(status).toBe(201);
    expect(body).toMatchObject({ ...FULL, org_id: app.orgId });
    expect((await get(body.id)).body).toEqual(body);
  });

  it('spec 4.2: name and action suffice, all else is optional', async () => {
    const { status, body } = await post({ name: 'x', action: 'allow' });
    expect(status).toBe(201);
    expect(body).toMatchObject({ name: 'x', action: 'allow', model: null, conditions: {}, enabled: true });
  });

  it('spec 4.2: a given description, model, conditions and enabled are kept', async () => {
    const { description, model, conditions, enabled } = FULL;
    for (const given of [{ description }, { model }, { conditions }, { enabled }]) {
      const { id } = await createPolicy(app.call, given);
      expect((await get(id)).body).toMatchObject(given);
    }
  });

  it('spec 4.2: 400 when a required field is missing', async () => {
    const before = (await app.call('GET', '/v1/policies?limit=1')).body.total_count;
    for (const field of ['name', 'action'] as const) {
      expectError(await post({ ...FULL, [field]: undefined }), 400, 'bad_request', field);
    }
    expectError(await post({}), 400, 'bad_request', 'name');
    expect((await app.call('GET', '/v1/policies?limit=1')).body.total_count).toBe(before);
  });

  it('spec 4.2: 400 when a value is invalid', async () => {
    const before = (await app.call('GET', '/v1/policies?limit=1')).body.total_count;
    for (const [field, value] of INVALID) {
      expectError(await post({ name: 'x', action: 'allow', [field]: value }), 400, 'bad_request', field);
    }
    expect((await app.call('GET', '/v1/policies?limit=1')).body.total_count).toBe(before);
  });

  it('spec 4.2: model omitted or null means all models', async () => {
    for (const given of [{}, { model: null }]) {
      const { call } = await app.addOrganization();
      const { id: user } = await createUser(call, 'Ada');
      expect((await createPolicy(call, given)).model).toBeNull();
      for (const model of ['gpt-4o', 'claude-sonnet-4-5']) {
        expect((await decide(call, user, model)).action).toBe('block');
      }
    }
  });
});

describe('GET /v1/policies/{id}', () => {
  it('spec 4.3: 200 with the policy', async () => {
    const policy = await createPolicy(app.call, FULL);
    const { status, body } = await get(policy.id);
    expect([status, body]).toEqual([200, policy]);
  });

  it('spec 4.3: 404 when the id does not exist', async () => {
    for (const id of MISSING_IDS) expectError(await get(id), 404, 'not_found');
  });
});

describe('PUT /v1/policies/{id}', () => {
  it('spec 4.4: 200 with the updated policy', async () => {
    const { id } = await createPolicy(app.call);
    const { status, body } = await put(id, FULL);
    expect(status).toBe(200);
    expect(body).toMatchObject({ ...FULL, id, org_id: app.orgId });
    expect((await get(id)).body).toEqual(body);
  });

  it('spec 4.4: only the supplied fields change', async () => {
    const policy = await createPolicy(app.call, FULL);
    const changes = {
      name: 'Another',
      description: 'Changed.',
      model: 'claude-sonnet-4-5',
      action: 'block',
      conditions: { role: { not_in: ['admin'] } },
      enabled: true,
    };
    const expected = { ...FULL, id: policy.id, org_id: policy.org_id, created_at: policy.created_at };
    for (const [field, value] of Object.entries(changes)) {
      Object.assign(expected, { [field]: value });
      expect((await put(policy.id, { [field]: value })).status).toBe(200);
      expect((await get(policy.id)).body).toMatchObject(expected);
    }
  });

  it('spec 4.4: no field is required', async () => {
    const policy = await createPolicy(app.call, FULL);
    expect(await put(policy.id, {})).toMatchObject({ status: 200, body: { ...FULL, id: policy.id } });
    for (const [field, value] of Object.entries(FULL)) {
      expect(await put(policy.id, { [field]: value })).toMatchObject({ status: 200, body: FULL });
    }
  });

  it('spec 4.4: model null means all models', async () => {
    const { call } = await app.addOrganization();
    const { id: user } = await createUser(call, 'Ada');
    const { id } = await createPolicy(call, { model: 'claude-sonnet-4-5' });
    expect((await decide(call, user, 'gpt-4o')).action).toBe('allow');
    expect((await call('PUT', `/v1/policies/${id}`, { model: null })).body.model).toBeNull();
    expect((await decide(call, user, 'gpt-4o')).action).toBe('block');
    expect((await decide(call, user, 'claude-sonnet-4-5')).action).toBe('block');
  });

  it('spec 4.4: conditions are a replacement', async () => {
    const conditions = { department: { not_in: ['Research'] }, role: { not_in: ['admin'] } };
    const { id } = await createPolicy(app.call, { conditions });
    const replacement = { department: { not_in: ['Sales'] } };
    expect((await put(id, { conditions: replacement })).body.conditions).toEqual(replacement);
    expect((await get(id)).body.conditions).toEqual(replacement);
  });

  it('spec 4.4: 404 when the id does not exist', async () => {
    for (const id of MISSING_IDS) expectError(await put(id, { enabled: false }), 404, 'not_found');
  });

  it('spec 4.4: 400 on an invalid value', async () => {
    const policy = await createPolicy(app.call, FULL);
    for (const [field, value] of INVALID) {
      expectError(await put(policy.id, { [field]: value }), 400, 'bad_request', field);
    }
    expect((await get(policy.id)).body).toEqual(policy);
  });
});

describe('DELETE /v1/policies/{id}', () => {
  it('spec 4.5: 204 with an empty body', async () => {
    const { id } = await createPolicy(app.call);
    const answer = await remove(id);
    expect([answer.status, answer.text]).toEqual([204, '']);
  });

  it('spec 4.5: 404 when the id does not exist', async () => {
    const { id } = await createPolicy(app.call);
    await remove(id);
    for (const missing of [...MISSING_IDS, id]) expectError(await remove(missing), 404, 'not_found');
  });

  it('spec 4.5: deletion is permanent', async () => {
    const { call } = await app.addOrganization();
    const [kept, { id }] = [await createPolicy(call), await createPolicy(call)];
    expect((await call('DELETE', `/v1/policies/${id}`)).status).toBe(204);
    expectError(await call('GET', `/v1/policies/${id}`), 404, 'not_found');
    expect((await call('GET', '/v1/policies')).body).toMatchObject({ items: [kept], total_count: 1 });
    const left = await app.database.asOwner('select 1 from governance.policies where id = $1', [id]);
    expect(left).toEqual([]);
  });
});

describe('the limits and errors of policies', () => {
  it('spec 8: a policy name has at most 255 characters', async () => {
    const { id } = await createPolicy(app.call, { name: 'a'.repeat(255) });
    expect((await put(id, { name: 'b'.repeat(255) })).body.name).toBe('b'.repeat(255));
    expectError(await put(id, { name: 'c'.repeat(256) }), 400, 'bad_request', 'name');
    expectError(await post({ name: 'c'.repeat(256), action: 'allow' }), 400, 'bad_request', 'name');
    expect((await get(id)).body.name).toBe('b'.repeat(255));
    expect((await createPolicy(app.call, { name: '🦊'.repeat(255) })).name).toBe('🦊'.repeat(255));
  });

  it('spec 7: 400 bad_request for a missing field or an invalid value of a policy', async () => {
    const { id } = await createPolicy(app.call);
    for (const answer of [
      await post({ name: 'x' }),
      await post({ action: 'allow' }),
      await post({ name: 'x', action: 'deny' }),
      await put(id, { action: 'deny' }),
      await put(id, { enabled: 'no' }),
    ]) {
      expectError(answer, 400, 'bad_request');
      expect(answer.body).toEqual({
        error: 'bad_request',
        message: expect.any(String),
        details: [{ field: expect.any(String), message: expect.any(String) }],
        request_id: answer.headers.get('x-request-id'),
      });
    }
  });

  it('spec 7: 404 not_found when a policy id does not exist', async () => {
    for (const id of MISSING_IDS) {
      for (const answer of [await get(id), await put(id, { name: 'x' }), await remove(id)]) {
        expectError(answer, 404, 'not_found');
        expect(answer.body).toEqual({
          error: 'not_found',
          message: expect.any(String),
          request_id: answer.headers.get('x-request-id'),
        });
      }
    }
  });
});
