import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { operatorActor } from '#access';
import { startTestApp, type Answer, type Call, type TestApp } from '../../test/support/test-app.js';
import { UserService } from './user.service.js';

describe('the service of users', () => {
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

  describe('importing by e-mail address', () => {
    it('creates missing users, keeps existing ones, and returns ids in order', async () => {
      const ada = await create({ email: 'import.ada@example.com', name: 'Ada' });
      const actor = operatorActor(test.orgId);
      const people = [
        { email: 'new.one@example.com', department: 'Sales' },
        { email: 'Import.Ada@example.com', name: 'Somebody else' },
        { email: 'NEW.one@example.com' },
      ];
      const [first, second, third] = await test.app.get(UserService).ensureMany(actor, people);
      expect(second).toBe(ada.id);
      expect(third).toBe(first);
      expect((await test.call('GET', `/v1/users/${first}`)).body).toMatchObject({ name: 'new.one', role: 'member' });
      expect((await test.call('GET', `/v1/users/${ada.id}`)).body.name).toBe('Ada');
    });

    it('writes one audit entry and raises one mark per 1,000 users, and none if no user is missing', async () => {
      const { orgId } = await test.addOrganization();
      await addPeople(orgId, 2_500);
      await addPeople(orgId, 2_500);
      const [mark] = await test.database.asOwner(
        `select version::int from governance.change_marks where org_id = $1 and topic = 'users'`,
        [orgId],
      );
      expect(mark).toEqual({ version: 3 });
      const [entries] = await test.database.asOwner(
        `select count(*)::int as n from governance.audit_log where org_id = $1 and action = 'user.imported'`,
        [orgId],
      );
      expect(entries).toEqual({ n: 3 });
    });

    it('refuses a list with an invalid value before anything is written', async () => {
      const actor = operatorActor(test.orgId);
      const early = { email: 'early@example.com' };
      const users = test.app.get(UserService);
      await expect(users.ensureMany(actor, [early, { email: 'nobody' }])).rejects.toThrow('people[1].email');
      await expect(users.ensureMany(actor, [early, { ...early, name: '' }])).rejects.toThrow('people[1].name');
      const rows = await test.database.asOwner(`select 1 from governance.users where email_key = 'early@example.com'`);
      expect(rows).toEqual([]);
    });
  });

  it('writes changes to the audit log, with the values before and after', async () => {
    const { orgId, call } = await test.addOrganization();
    const { id } = await create({ department: 'Sales' }, call);
    await call('PUT', `/v1/users/${id}`, { department: 'Finance' });
    await call('PUT', `/v1/users/${id}`, { department: 'Finance' });
    await call('POST', `/v1/users/${id}/offboard`);
    await call('POST', `/v1/users/${id}/reinstate`);
    const entries = await test.database.asOwner<{ action: string; before: object; after: object }>(
      `select action, before, after from governance.audit_log where org_id = $1 and action like 'user.%' order by seq`,
      [orgId],
    );
    expect(entries.map(entry => entry.action)).toEqual([
      'user.created',
      'user.updated',
      'user.suspended',
      'user.reinstated',
    ]);
    expect(entries[1]).toMatchObject({ before: { department: 'Sales' }, after: { department: 'Finance' } });
  });
});
