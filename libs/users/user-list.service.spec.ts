import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { operatorActor } from '#access';
import { explaining } from '../../test/support/explained.js';
import { startTestApp, type Answer, type Call, type TestApp } from '../../test/support/test-app.js';
import { UserService } from './user.service.js';

describe('the list of users', () => {
  let test: TestApp;

  beforeAll(async () => {
    test = await startTestApp();
  });

  afterAll(() => test.close());

  async function create(fields: object = {}, call: Call = test.call): Promise<Answer['body']> {
    const person = { email: `${randomUUID()}@example.com`, name: 'Ada Example', ...fields };
    const answer = await call('POST', '/v1/users', person);
    expect(answer).toMatchObject({ status: 201 });
    return answer.body;
  }

  async function addPeople(orgId: string, count: number, from = 0): Promise<void> {
    const people = Array.from({ length: count }, (_, n) => ({ email: `person${from + n}@example.com` }));
    await test.app.get(UserService).ensureMany(operatorActor(orgId), people);
  }

  /** Creates an organization with exactly these users. */
  async function organizationOf(...people: object[]): Promise<Call> {
    const { call } = await test.addOrganization();
    for (const fields of people) await create(fields, call);
    return call;
  }

  async function namesOf(call: Call, query = ''): Promise<string[]> {
    const answer = await call('GET', `/v1/users${query}`);
    expect(answer.status).toBe(200);
    return answer.body.items.map((user: { name: string }) => user.name);
  }

  it('answers the pagination envelope with users as items, by name', async () => {
    const call = await organizationOf({ name: 'Carol' }, { name: 'Ada' }, { name: 'Bob' });
    const { body } = await call('GET', '/v1/users');
    expect(body).toMatchObject({ next_cursor: null, has_more: false, total_count: 3 });
    expect(body.items.map((user: { name: string }) => user.name)).toEqual(['Ada', 'Bob', 'Carol']);
    expect(body.items[0]).toEqual((await call('GET', `/v1/users/${body.items[0].id}`)).body);
  });

  it('filters by status', async () => {
    const call = await organizationOf({ name: 'Ada' }, { name: 'Bob', status: 'inactive' }, { name: 'Carol' });
    const { id } = (await call('GET', '/v1/users')).body.items[2];
    await call('POST', `/v1/users/${id}/offboard`);
    expect(await namesOf(call, '?status=active')).toEqual(['Ada']);
    expect(await namesOf(call, '?status=inactive')).toEqual(['Bob']);
    expect(await namesOf(call, '?status=suspended')).toEqual(['Carol']);
  });

  it('filters by the exact name of the department, also together with the status', async () => {
    const call = await organizationOf(
      { name: 'Ada', department: 'R&D' },
      { name: 'Bob', department: 'R&D', status: 'inactive' },
      { name: 'Carol', department: 'r&d' },
      { name: 'Dan' },
    );
    expect(await namesOf(call, '?department=R%26D')).toEqual(['Ada', 'Bob']);
    expect(await namesOf(call, '?department=R%26D&status=inactive')).toEqual(['Bob']);
    expect(await namesOf(call, '?department=R')).toEqual([]);
    expect((await call('GET', '/v1/users?department=R%26D')).body.total_count).toBe(2);
  });

  it('returns every user once over all pages, also with equal names, while others are added', async () => {
    const names = ['Ada', 'Ada', 'Ada', 'Bob', 'Carol', 'Carol', 'Dan'];
    const call = await organizationOf(...names.map(name => ({ name })));
    const everybody = (await call('GET', '/v1/users')).body.items.map((user: { id: string }) => user.id);
    const seen: string[] = [];
    let query = '?limit=2';
    for (;;) {
      const { body } = await call('GET', `/v1/users${query}`);
      seen.push(...body.items.map((user: { id: string }) => user.id));
      expect(body).toMatchObject({ has_more: body.next_cursor !== null, total_count: 7 });
      if (!body.has_more) break;
      await create({ name: 'Aaron' }, call);
      query = `?limit=2&cursor=${encodeURIComponent(body.next_cursor)}`;
    }
    expect(seen).toEqual(everybody);
  });

  it('shows 25 users by default, and never has an empty last page', async () => {
    const { orgId, call } = await test.addOrganization();
    await addPeople(orgId, 26);
    expect(await namesOf(call)).toHaveLength(25);
    expect((await call('GET', '/v1/users?limit=26')).body).toMatchObject({ has_more: false, next_cursor: null });
  });

  it.each(['limit=0', 'limit=101', 'limit=ten', 'limit=', 'status=gone', 'department=', 'cursor=made-up', 'page=2'])(
    'refuses ?%s with 400',
    async query => {
      const answer = await test.call('GET', `/v1/users?${query}`);
      const field = query.split('=')[0];
      expect(answer).toMatchObject({ status: 400, body: { error: 'bad_request', details: [{ field }] } });
    },
  );

  it('refuses a cursor with other filters, of another organization, or after an hour', async () => {
    const call = await organizationOf({ name: 'Ada' }, { name: 'Bob' });
    const { next_cursor: cursor } = (await call('GET', '/v1/users?limit=1')).body;
    expect((await call('GET', `/v1/users?status=active&cursor=${cursor}`)).status).toBe(400);
    expect((await test.call('GET', `/v1/users?cursor=${cursor}`)).status).toBe(400);
    expect((await call('GET', `/v1/users?cursor=${cursor}`)).status).toBe(200);
    test.clock.advance(60 * 60 * 1000 + 1);
    expect((await call('GET', `/v1/users?cursor=${cursor}`)).status).toBe(400);
  });

  it('counts a list once as long as nothing changes, and again after every change', async () => {
    const { orgId, call } = await test.addOrganization();
    await addPeople(orgId, 30);
    const total = async (): Promise<number> => (await call('GET', '/v1/users?limit=1&status=active')).body.total_count;
    const counted = async (): Promise<number> => {
      const statements = await explaining(test, total);
      return statements.filter(({ sql }) => sql.includes('count(*)')).length;
    };
    expect([await counted(), await counted()]).toEqual([1, 0]);
    const { id } = await create({}, call);
    expect(await total()).toBe(31);
    await call('POST', `/v1/users/${id}/offboard`);
    expect([await total(), await counted()]).toEqual([30, 0]);
  });

  it('counts exactly up to 10,000 users and estimates beyond', async () => {
    const { orgId, call } = await test.addOrganization();
    await addPeople(orgId, 10_000);
    expect((await call('GET', '/v1/users?limit=1')).body.total_count).toBe(10_000);
    await addPeople(orgId, 5_000, 10_000);
    await test.database.asOwner('analyze governance.users');
    const { total_count: estimate } = (await call('GET', '/v1/users?limit=1')).body;
    expect(estimate).toBeGreaterThan(10_000);
    expect(Math.abs(estimate - 15_000)).toBeLessThan(3_000);
  });
});
