import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { operatorActor } from '#access';
import { startTestApp, type Answer, type Call, type TestApp } from '../../../test/support/test-app.js';
import { UserService } from '../user.service.js';

describe('/v1/users', () => {
  let test: TestApp;

  beforeAll(async () => {
    test = await startTestApp();
  });

  afterAll(() => test.close());

  function person(fields: object = {}): object {
    return { email: `${randomUUID()}@example.com`, name: 'Ada Example', ...fields };
  }

  async function create(fields: object = {}, call: Call = test.call): Promise<Answer['body']> {
    const answer = await call('POST', '/v1/users', person(fields));
    expect(answer).toMatchObject({ status: 201 });
    return answer.body;
  }

  describe('creating', () => {
    it('answers 201 with every field of a user', async () => {
      const email = 'Ada.Lovelace@Example.com';
      const answer = await test.call('POST', '/v1/users', { email, name: 'Ada Lovelace' });
      expect(answer.status).toBe(201);
      expect(answer.body).toEqual({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        org_id: test.orgId,
        email,
        name: 'Ada Lovelace',
        department: null,
        role: 'member',
        status: 'active',
        suspension_causes: [],
        suspended_at: null,
        departure_date: null,
        departs_at: null,
        departure_reason: null,
        attributes: {},
        last_active_at: null,
        created_at: test.clock.now().toISOString(),
        updated_at: test.clock.now().toISOString(),
      });
      expect((await test.call('GET', `/v1/users/${answer.body.id}`)).body).toEqual(answer.body);
    });

    it('keeps department, role, status and attributes as given', async () => {
      const fields = {
        department: 'Engineering',
        role: 'team lead',
        status: 'inactive',
        attributes: { level: 7, remote: true, manager: null, constructor: 'kept', toString: 'kept' },
      };
      const { id } = await create(fields);
      expect((await test.call('GET', `/v1/users/${id}`)).body).toMatchObject(fields);
    });

    it.each([
      ['email', { email: undefined }],
      ['email', { email: 'nobody' }],
      ['email', { email: 7 }],
      ['name', { name: undefined }],
      ['name', { name: '' }],
      ['name', { name: 'x'.repeat(256) }],
      ['name', { name: 'a\0b' }],
      ['department', { department: '' }],
      ['role', { role: 'x'.repeat(65) }],
      ['status', { status: 'suspended' }],
      ['attributes', { attributes: [] }],
      ['attributes', { attributes: { tags: ['a'] } }],
      ['attributes', { attributes: { a: { constructor: { prototype: 1 } } } }],
      ['attributes', { attributes: [{ constructor: 1 }] }],
      ['attributes', { attributes: null }],
      ['nickname', { nickname: 'ada' }],
    ])('refuses an invalid %s with 400 and its name', async (field, fields) => {
      const answer = await test.call('POST', '/v1/users', person(fields));
      expect(answer).toMatchObject({ status: 400, body: { error: 'bad_request', details: [{ field }] } });
    });

    it('refuses an email address that is taken, ignoring case, with 409 and the name of the field', async () => {
      await create({ email: 'taken@example.com' });
      const answer = await test.call('POST', '/v1/users', person({ email: 'TAKEN@Example.com' }));
      expect(answer).toMatchObject({ status: 409, body: { error: 'conflict', details: [{ field: 'email' }] } });
    });

    it('lets one of two concurrent requests have an email address', async () => {
      const body = person();
      const answers = await Promise.all([1, 2, 3, 4].map(() => test.call('POST', '/v1/users', body)));
      expect(answers.map(answer => answer.status).sort((a, b) => a - b)).toEqual([201, 409, 409, 409]);
    });

    it('lets two organizations have users with the same email address', async () => {
      const other = await test.addOrganization();
      await create({ email: 'both@example.com' });
      await create({ email: 'both@example.com' }, other.call);
    });
  });

  describe('reading one', () => {
    it.each([
      ['an unknown id', () => randomUUID() as string],
      ['an invalid id', () => 'ada'],
    ])('answers 404 for %s', async (_what, id) => {
      const answer = await test.call('GET', `/v1/users/${id()}`);
      expect(answer).toMatchObject({ status: 404, body: { error: 'not_found' } });
    });

    it('answers 404 for a user of another organization', async () => {
      const other = await test.addOrganization();
      const { id } = await create();
      expect((await other.call('GET', `/v1/users/${id}`)).status).toBe(404);
      expect((await other.call('PUT', `/v1/users/${id}`, { name: 'Mine' })).status).toBe(404);
      expect((await other.call('POST', `/v1/users/${id}/offboard`)).status).toBe(404);
    });

    it('shows members their own record and hides all others', async () => {
      const [own, other] = [await create(), await create()];
      const member = await test.addToken('member', own.id);
      expect((await member.call('GET', `/v1/users/${own.id}`)).status).toBe(200);
      expect((await member.call('GET', `/v1/users/${other.id}`)).status).toBe(404);
      expect((await member.call('GET', '/v1/users')).status).toBe(403);
      expect((await member.call('PUT', `/v1/users/${own.id}`, { role: 'admin' })).status).toBe(403);
      const nobody = await test.addToken('member');
      expect((await nobody.call('GET', `/v1/users/${own.id}`)).status).toBe(404);
    });

    it('hides from members that they will leave, and why', async () => {
      const own = await create();
      const member = await test.addToken('member', own.id);
      await test.call('POST', `/v1/users/${own.id}/offboard`, { departure_date: '2026-12-31', reason: 'Redundancy' });
      const { body } = await member.call('GET', `/v1/users/${own.id}`);
      expect(body).toMatchObject({ departure_date: null, departs_at: null, departure_reason: null, status: 'active' });
    });

    it('answers 401 without a credential', async () => {
      const answer = await test.as(null)('GET', '/v1/users');
      expect(answer).toMatchObject({ status: 401, body: { error: 'unauthorized' } });
    });
  });

  describe('updating', () => {
    it('changes only the given fields, and the time of change', async () => {
      const before = await create({ department: 'Sales', attributes: { level: 1 } });
      test.clock.advance(60_000);
      const answer = await test.call('PUT', `/v1/users/${before.id}`, { name: 'Ada King' });
      expect(answer).toMatchObject({
        status: 200,
        body: { ...before, name: 'Ada King', updated_at: test.clock.now().toISOString() },
      });
    });

    it('sets a department to null and replaces attributes as a whole', async () => {
      const { id } = await create({ department: 'Sales', attributes: { level: 1, team: 'red' } });
      const answer = await test.call('PUT', `/v1/users/${id}`, { department: null, attributes: { level: 2 } });
      expect(answer.body).toMatchObject({ department: null });
      expect(answer.body.attributes).toEqual({ level: 2 });
    });

    it('accepts a body as it was read, and changes nothing', async () => {
      const { id } = await create({ department: 'Sales' });
      const read = (await test.call('POST', `/v1/users/${id}/offboard`)).body;
      const { machine_tokens: _tokens, machine_tokens_total: _total, ...user } = read;
      test.clock.advance(60_000);
      const answer = await test.call('PUT', `/v1/users/${id}`, read);
      expect(answer).toMatchObject({ status: 200, body: user });
    });

    it('ignores read-only fields with other values', async () => {
      const before = await create();
      const readOnly = { id: randomUUID(), org_id: randomUUID(), last_active_at: null, created_at: 'x', updated_at: 7 };
      expect((await test.call('PUT', `/v1/users/${before.id}`, readOnly)).body).toEqual(before);
    });

    it('moves between active and inactive', async () => {
      const { id } = await create();
      for (const status of ['inactive', 'active']) {
        expect((await test.call('PUT', `/v1/users/${id}`, { status })).body.status).toBe(status);
      }
    });

    it.each([
      ['active to suspended', false, 'suspended'],
      ['suspended to active', true, 'active'],
      ['suspended to inactive', true, 'inactive'],
    ])('answers 409 for %s and changes nothing', async (_what, suspended, status) => {
      const { id } = await create();
      if (suspended) await test.call('POST', `/v1/users/${id}/offboard`);
      const answer = await test.call('PUT', `/v1/users/${id}`, { name: 'Changed', status });
      expect(answer).toMatchObject({ status: 409, body: { error: 'conflict', details: [{ field: 'status' }] } });
      const after = (await test.call('GET', `/v1/users/${id}`)).body;
      expect(after).toMatchObject({ name: 'Ada Example', status: suspended ? 'suspended' : 'active' });
    });

    it("refuses another user's email address with 409, and accepts another spelling of the own address", async () => {
      const [ada, bob] = [await create({ email: 'ada.k@example.com' }), await create()];
      const taken = await test.call('PUT', `/v1/users/${bob.id}`, { email: 'ADA.K@example.com' });
      expect(taken).toMatchObject({ status: 409, body: { details: [{ field: 'email' }] } });
      const own = await test.call('PUT', `/v1/users/${ada.id}`, { email: 'Ada.K@example.com' });
      expect(own).toMatchObject({ status: 200, body: { email: 'Ada.K@example.com' } });
    });

    it('answers 404 for an unknown id', async () => {
      expect((await test.call('PUT', `/v1/users/${randomUUID()}`, { name: 'x' })).status).toBe(404);
    });
  });

  describe('offboarding and reinstating', () => {
    it('suspends at once, and makes active again', async () => {
      const { id } = await create({ status: 'inactive' });
      const offboarded = await test.call('POST', `/v1/users/${id}/offboard`);
      expect(offboarded).toMatchObject({
        status: 200,
        body: {
          status: 'suspended',
          suspension_causes: ['offboarding'],
          suspended_at: test.clock.now().toISOString(),
        },
      });
      const reinstated = await test.call('POST', `/v1/users/${id}/reinstate`, {});
      expect(reinstated).toMatchObject({ status: 200, body: { status: 'active', suspended_at: null } });
    });

    it('answers 409 for a second offboarding and for reinstating a user who is not suspended', async () => {
      const { id } = await create();
      expect((await test.call('POST', `/v1/users/${id}/reinstate`)).status).toBe(409);
      await test.call('POST', `/v1/users/${id}/offboard`);
      expect((await test.call('POST', `/v1/users/${id}/offboard`)).status).toBe(409);
    });

    it('answers 409 when a user whom the identity provider suspended is reinstated', async () => {
      const { id } = await create();
      const actor = operatorActor(test.orgId);
      await test.app.get(UserService).suspend(actor, id, 'scim');
      const answer = await test.call('POST', `/v1/users/${id}/reinstate`);
      expect(answer).toMatchObject({ status: 409, body: { error: 'conflict' } });
      expect((await test.call('GET', `/v1/users/${id}`)).body.status).toBe('suspended');
    });

    it('plans it for a date, and returns the plan', async () => {
      const { id } = await create();
      const body = { departure_date: '2026-12-31', reason: 'End of contract' };
      const answer = await test.call('POST', `/v1/users/${id}/offboard`, body);
      const planned = {
        status: 'active',
        departure_date: '2026-12-31',
        departs_at: '2026-12-31T00:00:00.000Z',
        departure_reason: 'End of contract',
      };
      expect(answer).toMatchObject({ status: 200, body: planned });
      const { machine_tokens: _tokens, machine_tokens_total: _total, ...user } = answer.body;
      expect((await test.call('GET', `/v1/users/${id}`)).body).toEqual(user);
    });

    it.each(['2026-11-20', '2026-11-20T12:00:00Z', '2020-01-01'])(
      'suspends at once if %s is now or in the past',
      async date => {
        const { id } = await create();
        const answer = await test.call('POST', `/v1/users/${id}/offboard`, { departure_date: date });
        expect(answer).toMatchObject({ status: 200, body: { status: 'suspended', departure_date: date } });
      },
    );

    it('cancels a plan, and answers 409 if there is none', async () => {
      const { id } = await create();
      const cancel = () => test.call('DELETE', `/v1/users/${id}/offboard`);
      expect(await cancel()).toMatchObject({ status: 409, body: { error: 'conflict' } });
      await test.call('POST', `/v1/users/${id}/offboard`, { departure_date: '2026-12-31' });
      expect(await cancel()).toMatchObject({ status: 204, text: '' });
      expect((await test.call('GET', `/v1/users/${id}`)).body).toMatchObject({ status: 'active', departs_at: null });
      await test.call('POST', `/v1/users/${id}/offboard`);
      const late = await cancel();
      expect(late).toMatchObject({ status: 409, body: { message: expect.stringContaining('reinstate the user') } });
    });

    it.each([
      ['departure_date', { departure_date: '2026-02-30' }],
      ['departure_date', { departure_date: 'tomorrow' }],
      ['departure_date', { departure_date: null }],
      ['reason', { reason: '' }],
      ['reason', { reason: 'x'.repeat(256) }],
      ['reason', { reason: 'a\0b' }],
    ])('refuses an invalid %s with 400 and its name', async (field, body) => {
      const { id } = await create();
      const answer = await test.call('POST', `/v1/users/${id}/offboard`, body);
      expect(answer).toMatchObject({ status: 400, body: { details: [{ field }] } });
      expect((await test.call('GET', `/v1/users/${id}`)).body.status).toBe('active');
    });

    it('refuses unknown details', async () => {
      const { id } = await create();
      const answer = await test.call('POST', `/v1/users/${id}/offboard`, { when: 'tomorrow' });
      expect(answer).toMatchObject({ status: 400, body: { details: [{ field: 'when' }] } });
    });
  });
});
