import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { report, usageEvent } from '../e2e/usage.support.js';
import { startTestApp, type Call, type TestApp } from '../support/test-app.js';
import { createUser, decide, expectError, expectLimits, expectWalk, ISO_8601, UUID } from './contract.support.js';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.close());

const namesOf = async (call: Call, query = '') =>
  (await call('GET', `/v1/users${query}`)).body.items.map((user: { name: string }) => user.name).toSorted();

const userOf = async (call: Call, id: string) =>
  (await call('GET', '/v1/users?limit=100')).body.items.find((user: { id: string }) => user.id === id);

describe('a user', () => {
  it('spec 2.3: a user has all fields of the table', async () => {
    const { orgId, call } = await app.addOrganization();
    const { id } = await createUser(call, 'Ada', { department: 'Research', role: 'admin' });
    const { items } = (await call('GET', '/v1/users')).body;
    expect(items).toEqual([
      expect.objectContaining({
        id,
        org_id: orgId,
        email: 'ada@example.com',
        name: 'Ada',
        department: 'Research',
        role: 'admin',
        status: 'active',
        last_active_at: null,
        created_at: app.clock.now().toISOString(),
        updated_at: app.clock.now().toISOString(),
      }),
    ]);
  });

  it('spec 2.3: id is a UUID and org_id the organization of the user', async () => {
    const here = await createUser(app.call, 'Uma');
    const other = await app.addOrganization();
    const there = await createUser(other.call, 'Uma');
    expect([here.id, there.id]).toEqual([expect.stringMatching(UUID), expect.stringMatching(UUID)]);
    expect(there.id).not.toBe(here.id);
    expect([here.org_id, there.org_id]).toEqual([app.orgId, other.orgId]);
  });

  it('spec 2.3: department is null when not assigned', async () => {
    const { call } = await app.addOrganization();
    const none = await createUser(call, 'Ada');
    const some = await createUser(call, 'Bob', { department: 'Sales' });
    expect((await userOf(call, none.id)).department).toBeNull();
    expect((await userOf(call, some.id)).department).toBe('Sales');
    await call('PUT', `/v1/users/${some.id}`, { department: null });
    expect((await userOf(call, some.id)).department).toBeNull();
  });

  it('spec 2.3: role is a text, such as member or admin', async () => {
    const { call } = await app.addOrganization();
    for (const [name, role] of [
      ['Ada', 'admin'],
      ['Bob', 'member'],
    ] as const) {
      const { id } = await createUser(call, name, { role });
      expect((await userOf(call, id)).role).toBe(role);
    }
    expect((await createUser(call, 'Cyd')).role).toEqual(expect.stringMatching(/\w/));
    const wrong = { email: 'dot@example.com', name: 'Dot', role: 7 };
    expectError(await call('POST', '/v1/users', wrong), 400, 'bad_request', 'role');
  });

  it('spec 2.3: status is active, inactive or suspended', async () => {
    const { call } = await app.addOrganization();
    const active = await createUser(call, 'Ada');
    const inactive = await createUser(call, 'Bob', { status: 'inactive' });
    const suspended = await createUser(call, 'Cyd');
    await call('POST', `/v1/users/${suspended.id}/offboard`);
    for (const [{ id }, status] of [
      [active, 'active'],
      [inactive, 'inactive'],
      [suspended, 'suspended'],
    ] as const) {
      expect((await userOf(call, id)).status).toBe(status);
    }
    expectError(await call('PUT', `/v1/users/${active.id}`, { status: 'deleted' }), 400, 'bad_request', 'status');
  });

  it('spec 2.3: a suspended user has no access to LLMs', async () => {
    const { call } = await app.addOrganization();
    const { id } = await createUser(call, 'Ada');
    expect(await decide(call, id)).toMatchObject({ action: 'allow', allowed: true });
    expect((await call('POST', `/v1/users/${id}/offboard`)).body.status).toBe('suspended');
    expect(await decide(call, id)).toMatchObject({ action: 'block', allowed: false, reason: 'user_suspended' });
    expect((await call('POST', `/v1/users/${id}/reinstate`)).body.status).toBe('active');
    expect(await decide(call, id)).toMatchObject({ action: 'allow', allowed: true });
  });

  it('spec 2.3: last_active_at is null until LLM activity is recorded, then its latest time', async () => {
    const { call } = await app.addOrganization();
    const { id } = await createUser(call, 'Ada');
    const lastActive = async () => (await userOf(call, id)).last_active_at;
    expect(await lastActive()).toBeNull();
    for (const [occurred_at, latest] of [
      ['2026-11-19T10:00:00Z', '2026-11-19T10:00:00Z'],
      ['2026-11-20T09:00:00.250Z', '2026-11-20T09:00:00.250Z'],
      ['2026-11-18T10:00:00Z', '2026-11-20T09:00:00.250Z'],
    ] as const) {
      await report(call, usageEvent({ user_id: id, occurred_at }));
      expect(await lastActive()).toMatch(ISO_8601);
      expect(Date.parse(await lastActive())).toBe(Date.parse(latest));
    }
  });

  it('spec 2.3: created_at and updated_at are ISO 8601', async () => {
    const { call } = await app.addOrganization();
    const user = await createUser(call, 'Ada');
    expect(user.created_at).toMatch(ISO_8601);
    expect(user.updated_at).toMatch(ISO_8601);
    app.clock.advance(5_000);
    await call('PUT', `/v1/users/${user.id}`, { name: 'Ada Lovelace' });
    const changed = await userOf(call, user.id);
    expect(changed.created_at).toBe(user.created_at);
    expect(changed.updated_at).toMatch(ISO_8601);
    expect(Date.parse(changed.updated_at) - Date.parse(user.updated_at)).toBe(5_000);
  });

  it('spec 3.2: a user moves between active, inactive and suspended', async () => {
    const { call } = await app.addOrganization();
    const { id } = await createUser(call, 'Ada');
    const become = (status: string) => call('PUT', `/v1/users/${id}`, { status });
    const steps: [() => ReturnType<Call>, string][] = [
      [() => become('inactive'), 'inactive'],
      [() => become('active'), 'active'],
      [() => call('POST', `/v1/users/${id}/offboard`), 'suspended'],
      [() => call('POST', `/v1/users/${id}/reinstate`), 'active'],
      [() => become('inactive'), 'inactive'],
      [() => call('POST', `/v1/users/${id}/offboard`), 'suspended'],
    ];
    for (const [step, status] of steps) {
      expect(await step()).toMatchObject({ status: 200, body: { status } });
      expect((await userOf(call, id)).status).toBe(status);
    }
    expectError(await become('active'), 409, 'conflict');
    expect((await userOf(call, id)).status).toBe('suspended');
  });
});

describe('GET /v1/users', () => {
  it('spec 4.7: 200 with a page of users', async () => {
    const { call } = await app.addOrganization();
    const users = [await createUser(call, 'Ada'), await createUser(call, 'Bob', { department: 'Sales' })];
    const { status, body } = await call('GET', '/v1/users');
    expect(status).toBe(200);
    expect(body).toEqual({
      items: expect.arrayContaining(users),
      next_cursor: null,
      has_more: false,
      total_count: 2,
    });
    expect(body.items).toHaveLength(2);
  });

  it('spec 4.7: status filters the list', async () => {
    const { call } = await app.addOrganization();
    await createUser(call, 'Ada');
    await createUser(call, 'Bob', { status: 'inactive' });
    await call('POST', `/v1/users/${(await createUser(call, 'Cyd')).id}/offboard`);
    expect(await namesOf(call, '?status=active')).toEqual(['Ada']);
    expect(await namesOf(call, '?status=inactive')).toEqual(['Bob']);
    expect(await namesOf(call, '?status=suspended')).toEqual(['Cyd']);
    expect(await namesOf(call)).toEqual(['Ada', 'Bob', 'Cyd']);
    for (const status of ['deleted', 'Active', '']) {
      expectError(await call('GET', `/v1/users?status=${status}`), 400, 'bad_request', 'status');
    }
  });

  it('spec 4.7: department filters the list', async () => {
    const { call } = await app.addOrganization();
    await createUser(call, 'Ada', { department: 'Research & Development' });
    await createUser(call, 'Bob', { department: 'Research' });
    await createUser(call, 'Cyd');
    const inactive = await createUser(call, 'Dot', { department: 'Research', status: 'inactive' });
    expect(await namesOf(call, `?department=${encodeURIComponent('Research & Development')}`)).toEqual(['Ada']);
    expect(await namesOf(call, '?department=Research')).toEqual(['Bob', 'Dot']);
    expect(await namesOf(call, '?department=Sales')).toEqual([]);
    const both = await call('GET', '/v1/users?department=Research&status=inactive');
    expect(both.body).toMatchObject({ items: [inactive], total_count: 1 });
  });

  it('spec 4.7: cursor continues the list', async () => {
    const { call } = await app.addOrganization();
    for (let made = 0; made < 7; made++) {
      // Several users have the same name, so a name alone cannot identify the end of a page.
      const department = made < 5 ? 'Research' : 'Sales';
      await createUser(call, 'Ada', { email: `ada${made}@example.com`, department });
    }
    await expectWalk(call, '/v1/users', 7);
    await expectWalk(call, '/v1/users?department=Research', 5);
  });

  it('spec 4.7: limit is 1 to 100 with default 25', async () => {
    const { call } = await app.addOrganization();
    for (let made = 0; made < 102; made++) await createUser(call, `user-${made}`);
    await expectLimits(call, '/v1/users', 102);
  });
});
