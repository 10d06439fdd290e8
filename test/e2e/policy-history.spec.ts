import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ConditionOperator } from '#policy';
import { createToken } from '../support/seed.js';
import { startTestApp, type Answer, type TestApp } from '../support/test-app.js';
import { openPolicyOrganization } from './policy-history.support.js';

/** An operator that an installation removes later. */
class Under implements ConditionOperator<string> {
  readonly name = 'under';
  validateOperand = (operand: unknown) => (typeof operand === 'string' ? undefined : 'must be a text');
  compile = (operand: string) => (value: unknown) => typeof value === 'string' && value.startsWith(`${operand}/`);
  matchesMissing = () => false;
}

const UNKNOWN = '00000000-0000-7000-8000-000000000000';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app?.close());

const openOrganization = () => openPolicyOrganization(app);
const told = ({ version, change, changed_fields, restored_version }: Answer['body']) => [
  version,
  change,
  changed_fields,
  restored_version,
];
const contentOf = ({ name, description, model, action, conditions, enabled, severity }: Answer['body']) => ({
  name,
  description,
  model,
  action,
  conditions,
  enabled,
  severity,
});

describe('the history of a policy', () => {
  it('has each change with its author, time and changed fields, newest first', async () => {
    const { orgId, call, add, put, remove, entries } = await openOrganization();
    const { id, created_at } = await add({ conditions: { department: { not_in: ['Research'] } } });
    app.clock.advance(1_000);
    const author = await createToken(app.app, orgId, 'admin');
    const renamed = (await app.as(author)('PUT', `/v1/policies/${id}`, { name: 'Renamed', action: 'alert' })).body;
    await put(id, { conditions: {} });
    await remove(id);
    const history = await entries(id);
    expect(history.map(told)).toEqual([
      [4, 'deleted', [], null],
      [3, 'updated', ['conditions'], null],
      [2, 'updated', ['name', 'action'], null],
      [1, 'created', [], null],
    ]);
    expect(history.map(({ name }) => name)).toEqual(['Renamed', 'Renamed', 'Renamed', 'Research only']);
    expect(history[3]).toMatchObject({ policy_id: id, org_id: orgId, changed_at: created_at });
    expect(history[2]).toMatchObject({
      changed_at: renamed.updated_at,
      changed_by: { kind: 'token', id: expect.any(String), name: 'test admin', user_id: null },
    });
    expect(history[2].changed_by.id).not.toBe(history[3].changed_by.id);
    expect((await call('GET', `/v1/policies/${id}`)).status).toBe(404);
  });

  it('has no entry if nothing was changed', async () => {
    const { add, put, entries } = await openOrganization();
    const policy = await add();
    await put(policy.id, policy);
    await put(policy.id, {});
    expect(await entries(policy.id)).toHaveLength(1);
  });

  it('shows a policy as it was in each version, also after its deletion', async () => {
    const { call, add, put, remove } = await openOrganization();
    const first = await add({ description: 'a', conditions: { role: { in: ['x'] } }, model: 'm*' });
    const second = await put(first.id, { conditions: { role: { in: ['x', 'y'] } }, enabled: false, model: null });
    await remove(first.id);
    for (const [version, content] of [first, second, second].entries()) {
      const { status, body } = await call('GET', `/v1/policies/${first.id}/versions/${version + 1}`);
      expect(status).toBe(200);
      expect(body.content).toEqual(contentOf(content));
    }
  });

  it('has cursor pagination', async () => {
    const { call, add, put } = await openOrganization();
    const { id } = await add();
    for (let at = 2; at <= 7; at++) await put(id, { name: `Name ${at}` });
    const path = `/v1/policies/${id}/versions?limit=3`;
    const first = (await call('GET', path)).body;
    const second = (await call('GET', `${path}&cursor=${encodeURIComponent(first.next_cursor)}`)).body;
    expect([first.total_count, second.total_count, second.has_more]).toEqual([7, 7, true]);
    const versions = [...first.items, ...second.items].map(({ version }: { version: number }) => version);
    expect(versions).toEqual([7, 6, 5, 4, 3, 2]);
  });

  it('cannot be changed or deleted by the app itself', async () => {
    const rights = await app.database.asOwner<{ right: string }>(
      `select privilege_type as right from information_schema.role_table_grants
       where table_schema = 'governance' and table_name = 'policy_versions' and grantee = 'governance_app'`,
    );
    expect(rights.map(({ right }) => right).toSorted()).toEqual(['INSERT', 'SELECT']);
  });

  it('is written in the transaction of the change: a refused change leaves nothing', async () => {
    const { call, add, entries } = await openOrganization();
    const { id } = await add();
    expect((await call('PUT', `/v1/policies/${id}`, { name: '' })).status).toBe(400);
    expect(await entries(id)).toHaveLength(1);
    const [row] = await app.database.asOwner<{ marks: string; versions: string }>(
      `select (select count(*) from governance.policy_versions where policy_id = $1) as versions,
         (select count(*) from governance.audit_log where resource_id = $1::text) as marks`,
      [id],
    );
    expect(row).toEqual({ marks: '1', versions: '1' });
  });
});

describe('the difference between two versions', () => {
  it('names each difference, compared with the previous version or with a given one', async () => {
    const { call, add, put } = await openOrganization();
    const { id } = await add({ conditions: { department: { not_in: ['Research'] }, role: { eq: 'member' } } });
    await put(id, { conditions: { department: { not_in: ['Research', 'Legal'] } } });
    await put(id, { action: 'alert' });
    const diff = async (version: number, query = '') =>
      (await call('GET', `/v1/policies/${id}/versions/${version}/diff${query}`)).body;
    const conditions = [
      { path: '/conditions/role', before: { eq: 'member' } },
      { path: '/conditions/department/not_in', before: ['Research'], after: ['Research', 'Legal'] },
    ];
    const inAnyOrder = (changes: object[]) =>
      changes.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    const action = { path: '/action', before: 'block', after: 'alert' };
    const second = await diff(2);
    expect(second).toMatchObject({ policy_id: id, version: 2, against: 1 });
    expect(inAnyOrder(second.changes)).toEqual(inAnyOrder(conditions));
    expect((await diff(3)).changes).toEqual([action]);
    const both = await diff(3, '?against=1');
    expect(both.against).toBe(1);
    expect(inAnyOrder(both.changes)).toEqual(inAnyOrder([action, ...conditions]));
    expect((await diff(1, '?against=3')).changes).toContainEqual({ path: '/action', before: 'alert', after: 'block' });
    expect((await diff(2, '?against=2')).changes).toEqual([]);
  });

  it('compares a first version with an empty one', async () => {
    const { call, add } = await openOrganization();
    const policy = await add();
    const { body } = await call('GET', `/v1/policies/${policy.id}/versions/1/diff`);
    expect(body.against).toBeNull();
    expect(body.changes).toEqual(
      Object.entries(contentOf(policy)).map(([field, after]) => ({ path: `/${field}`, after })),
    );
  });

  it.each(['0', '-1', '1.5', 'one', '', '2147483648'])('refuses to compare with version %j', async against => {
    const { call, add } = await openOrganization();
    const { id } = await add();
    expect(await call('GET', `/v1/policies/${id}/versions/1/diff?against=${against}`)).toMatchObject({
      status: 400,
      body: { error: 'bad_request', details: [{ field: 'against' }] },
    });
  });
});

describe('a restored policy', () => {
  it('has the content of the version in a new version, which decisions use at once', async () => {
    const { add, put, restore, entries, addUser, ask, call } = await openOrganization();
    const { id: user_id } = await addUser();
    const first = await add({ severity: 'critical', description: 'First.' });
    await put(first.id, { action: 'allow', severity: 'low', description: null });
    expect(await ask({ user_id })).toMatchObject({ action: 'allow' });
    const answer = await restore(first.id, 1);
    expect(answer).toMatchObject({ status: 200, body: { ...contentOf(first), version: 3 } });
    expect(await call('GET', `/v1/policies/${first.id}`)).toMatchObject({ body: answer.body });
    expect(await ask({ user_id })).toMatchObject({ action: 'block', policies: [{ version: 3 }] });
    const [newest] = await entries(first.id);
    expect(told(newest)).toEqual([3, 'restored', ['description', 'action', 'severity'], 1]);
    const audit = (await call('GET', '/v1/audit-log?limit=1')).body.items[0];
    expect(audit).toMatchObject({
      action: 'policy.restored',
      resource_id: first.id,
      before: { version: 2, action: 'allow' },
      after: { version: 3, action: 'block' },
    });
  });

  it('is unchanged if nothing differs: no version, no audit entry', async () => {
    const { add, put, restore, entries, call } = await openOrganization();
    const { id } = await add();
    await put(id, { name: 'Other' });
    const back = await put(id, { name: 'Research only' });
    const count = async () => (await call('GET', '/v1/audit-log?limit=1')).body.total_count;
    const before = await count();
    for (const version of [1, 3]) expect(await restore(id, version)).toMatchObject({ status: 200, body: back });
    expect([(await entries(id)).length, await count()]).toEqual([3, before]);
  });

  it('that was deleted exists again with its id, and its versions continue', async () => {
    const { add, put, remove, restore, entries, addUser, ask, call } = await openOrganization();
    const { id: user_id } = await addUser();
    const policy = await add();
    await put(policy.id, { action: 'alert' });
    await remove(policy.id);
    expect(await ask({ user_id })).toMatchObject({ reason: 'no_policy_matched' });
    const { status, body } = await restore(policy.id, 1);
    expect([status, body]).toEqual([200, { ...policy, version: 4, updated_at: expect.any(String) }]);
    expect(body.updated_at > policy.updated_at).toBe(true);
    expect(await ask({ user_id })).toMatchObject({ action: 'block', policies: [{ id: policy.id, version: 4 }] });
    expect((await entries(policy.id)).map(told)).toEqual([
      [4, 'restored', ['action'], 1],
      [3, 'deleted', [], null],
      [2, 'updated', ['action'], null],
      [1, 'created', [], null],
    ]);
    expect((await call('GET', '/v1/audit-log?limit=1')).body.items[0]).toMatchObject({
      action: 'policy.restored',
      before: null,
      after: body,
    });
    // The entry of a deletion contains the last content of the policy, so this restores that content.
    await remove(policy.id);
    expect((await restore(policy.id, 3)).body).toMatchObject({ action: 'alert', version: 6 });
  });

  it('is serialized with concurrent updates, deletions and other restores', async () => {
    const { add, put, remove, restore, entries, call } = await openOrganization();
    const { id } = await add();
    await put(id, { name: 'Two' });
    await remove(id);
    // The policy is deleted at first. One request restores it; the others change it, or get 404 because they came
    // before.
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, at) =>
        at % 4 === 3 ? call('PUT', `/v1/policies/${id}`, { name: `Name ${at}` }) : restore(id, (at % 2) + 1),
      ),
    );
    expect(answers.map(({ status }) => status).filter(status => ![200, 404].includes(status))).toEqual([]);
    await Promise.all([remove(id), restore(id, 1), restore(id, 2), restore(id, 1)]);
    const history = await entries(id);
    expect(history.map(({ version }) => version)).toEqual(history.map((_, at) => history.length - at));
    const now = await call('GET', `/v1/policies/${id}`);
    expect(now.status).toBe(history[0].change === 'deleted' ? 404 : 200);
    const revisions = await app.database.asOwner<{ revision: string }>(
      'select revision from governance.policy_versions where policy_id = $1 order by version',
      [id],
    );
    const inOrder = revisions.map(({ revision }) => Number(revision));
    expect(inOrder).toEqual(inOrder.toSorted((a, b) => a - b));
    expect(new Set(inOrder).size).toBe(inOrder.length);
  });

  it('is refused with 409 if it would exceed the maximum number of policies', async () => {
    const { orgId, add, remove, restore, call } = await openOrganization();
    const { id } = await add();
    await remove(id);
    await app.database.asOwner(
      `insert into governance.policies (org_id, id, name, action, created_at, updated_at)
       select $1, gen_random_uuid(), 'p' || n, 'allow', now(), now() from generate_series(1, 10000) n`,
      [orgId],
    );
    const answer = await restore(id, 1);
    expect(answer).toMatchObject({
      status: 409,
      body: { error: 'conflict', message: expect.stringContaining('10000') },
    });
    const [other] = (await call('GET', '/v1/policies?limit=1')).body.items;
    await remove(other.id);
    expect((await restore(id, 1)).status).toBe(200);
  });

  it('is refused with 400 with the names of the removed operators', async () => {
    const before = await startTestApp({ testDatabase: app.database, conditionOperators: [Under] });
    const { call } = before;
    const conditions = { department: { under: 'Sales' }, role: { in: ['member'] } };
    const { id } = (await call('POST', '/v1/policies', { name: 'Old', action: 'block', conditions })).body;
    await call('PUT', `/v1/policies/${id}`, { conditions: {} });
    await before.close();
    const after = app.as(before.adminToken);
    expect(await after('POST', `/v1/policies/${id}/restore`, { version: 1 })).toMatchObject({
      status: 400,
      body: {
        error: 'bad_request',
        message: expect.stringMatching(/^version 1 cannot be restored: .*unknown operator "under"/),
        details: [{ field: 'conditions.department.under' }],
      },
    });
    expect((await after('GET', `/v1/policies/${id}`)).body.version).toBe(2);
    expect((await after('GET', `/v1/policies/${id}/versions/1`)).body.content.conditions).toEqual(conditions);
  });

  it.each([
    [{}, 'version'],
    [{ version: 0 }, 'version'],
    [{ version: '1' }, 'version'],
    [{ version: 1.5 }, 'version'],
    [{ version: 2_147_483_648 }, 'version'],
    [{ version: null }, 'version'],
    [{ version: 1, name: 'x' }, 'name'],
  ])('is refused with 400 for the body %j', async (body, field) => {
    const { call, add } = await openOrganization();
    const { id } = await add();
    expect(await call('POST', `/v1/policies/${id}/restore`, body)).toMatchObject({
      status: 400,
      body: { details: [{ field }] },
    });
  });
});

describe('access to the history', () => {
  const routes = (id: string, version: number | string = 1): [string, string, object?][] => [
    ['GET', `/v1/policies/${id}/versions`],
    ['GET', `/v1/policies/${id}/versions/${version}`],
    ['GET', `/v1/policies/${id}/versions/${version}/diff`],
    ['POST', `/v1/policies/${id}/restore`, { version: Number(version) }],
  ];

  it('gets 404 if the policy or the version never existed', async () => {
    const { add, call } = await openOrganization();
    const { id } = await add();
    for (const missing of [UNKNOWN, randomUUID(), 'nonsense']) {
      for (const [method, path, body] of routes(missing)) {
        expect(await call(method, path, body)).toMatchObject({ status: 404, body: { error: 'not_found' } });
      }
    }
    for (const [method, path, body] of routes(id, 2).slice(1)) {
      expect(await call(method, path, body)).toMatchObject({ status: 404, body: { error: 'not_found' } });
    }
    for (const version of ['0', 'x', '1.0', '-1', '01', '2147483648', '99999999999']) {
      expect((await call('GET', `/v1/policies/${id}/versions/${version}`)).status).toBe(404);
      expect((await call('GET', `/v1/policies/${id}/versions/${version}/diff`)).status).toBe(404);
    }
    expect((await call('GET', `/v1/policies/${id}/versions/1/diff?against=2`)).status).toBe(404);
  });

  it('needs the scope to read policies, and a restore the scope to write them', async () => {
    const { id } = (await app.call('POST', '/v1/policies', { name: 'p', action: 'block' })).body;
    const auditor = await app.addToken('auditor');
    const agent = await app.addToken('agent');
    for (const [method, path, body] of routes(id)) {
      expect((await app.as(null)(method, path, body)).status).toBe(401);
      expect((await agent.call(method, path, body)).status).toBe(403);
      expect((await auditor.call(method, path, body)).status).toBe(method === 'GET' ? 200 : 403);
    }
  });

  it('is limited to the organization', async () => {
    const { id } = (await app.call('POST', '/v1/policies', { name: 'p', action: 'block' })).body;
    const { call } = await app.addOrganization();
    for (const [method, path, body] of routes(id)) expect((await call(method, path, body)).status).toBe(404);
  });
});
