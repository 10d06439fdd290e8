import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GovernanceOperations } from '#governance';
import { startTestApp, type Call, type TestApp } from '../support/test-app.js';
import { openOffice, type Office } from './approvals.support.js';

const SETTING = 'GOVERNANCE_APPROVALS_REQUIRE_PERSON';

/** The approval checks in the output of `doctor`. */
async function doctorOf(app: TestApp): Promise<object | undefined> {
  const findings = await app.app.get(GovernanceOperations).checkUp();
  return findings.find(({ check }) => check === 'approvals');
}

/** An administrator who is a user of the organization and not the requester. */
async function asBob(of: Office): Promise<{ id: string; call: Call }> {
  const { id } = await of.addUser('Bob');
  return { id, call: await of.as('admin', id) };
}

/** A token for a user, created with a given credential. */
async function tokenOf(app: TestApp, maker: Call, userId: string): Promise<Call> {
  const answer = await maker('POST', '/v1/tokens', { name: 'made', role: 'admin', user_id: userId });
  if (answer.status !== 201) throw new Error(answer.text);
  return app.as(answer.body.token);
}

describe('approvals if a person is required', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp({ approvals: { requirePerson: true } });
  });

  afterAll(() => app?.close());

  it.each(['approve', 'deny'] as const)(
    'refuse to %s if no known credential created the token that names a person',
    async verb => {
      const of = await openOffice(app);
      const bob = await of.addUser('Bob');
      const first = await tokenOf(app, of.call, bob.id);
      const second = await tokenOf(app, first, bob.id);
      const id = await of.pending();
      for (const call of [first, second]) {
        expect(await call('POST', `/v1/approvals/${id}/${verb}`)).toMatchObject({
          status: 403,
          body: { error: 'forbidden', message: expect.stringContaining('command line') },
        });
      }
      expect((await of.call('GET', `/v1/approvals/${id}`)).body).toMatchObject({ status: 'pending', decided_by: null });
    },
  );

  it('accept a token that a person created, for themself or for another person', async () => {
    const of = await openOffice(app);
    const [bob, eve] = [await asBob(of), await of.addUser('Eve')];
    const own = await tokenOf(app, bob.call, bob.id);
    expect(await own('POST', `/v1/approvals/${await of.pending()}/approve`)).toMatchObject({
      status: 200,
      body: { decided_by: { user_id: bob.id, person: true } },
    });
    const others = await tokenOf(app, own, eve.id);
    const answer = await others('POST', `/v1/approvals/${await of.pending({ model: 'gpt-4o-mini' })}/deny`);
    expect(answer).toMatchObject({
      status: 200,
      body: { decided_by: { user_id: eve.id, person: true, issued_by: [bob.id] } },
    });
  });

  it('accept a token that the command line created for a person, because a first one is needed', async () => {
    const of = await openOffice(app);
    const { id: userId } = await of.addUser('Bob');
    const token = await app.app.get(GovernanceOperations).createToken(of.orgId, 'admin', 'Bob', { userId });
    expect(await app.as(token)('POST', `/v1/approvals/${await of.pending()}/approve`)).toMatchObject({
      status: 200,
      body: { decided_by: { user_id: userId, person: true } },
    });
  });

  it.each(['approve', 'deny'] as const)('refuse to %s with 403 if the token belongs to no person', async verb => {
    const of = await openOffice(app);
    const id = await of.pending();
    expect(await of.act(id, verb)).toMatchObject({
      status: 403,
      body: { error: 'forbidden', message: expect.stringContaining('user_id') },
    });
    expect((await of.call('GET', `/v1/approvals/${id}`)).body).toMatchObject({ status: 'pending', decided_by: null });
    expect(await of.ask()).toMatchObject({ allowed: false });
  });

  it.each([
    ['approve', 'approved'],
    ['deny', 'denied'],
  ] as const)('%s when the token belongs to a user', async (verb, status) => {
    const of = await openOffice(app);
    const bob = await asBob(of);
    const id = await of.pending();
    expect(await bob.call('POST', `/v1/approvals/${id}/${verb}`)).toMatchObject({
      status: 200,
      body: { status, decided_by: { user_id: bob.id, person: true } },
    });
  });

  it('let a token without a person revoke a grant, because that only removes access', async () => {
    const of = await openOffice(app);
    const id = await of.pending();
    await (await asBob(of)).call('POST', `/v1/approvals/${id}/approve`);
    expect(await of.act(id, 'revoke')).toMatchObject({ status: 200, body: { decided_by: { person: false } } });
  });

  it('are reported by doctor as decided by people only', async () => {
    expect(await doctorOf(app)).toEqual({ check: 'approvals', ok: true, seen: 'only persons approve and deny' });
  });
});

describe('approvals if no person is required', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp();
  });

  afterAll(() => app?.close());

  it('say in the grant and in the audit log that no person decided', async () => {
    const of = await openOffice(app);
    const id = await of.pending();
    expect((await of.act(id, 'approve')).body).toMatchObject({ decided_by: { user_id: null, person: false } });
    expect((await of.call('GET', `/v1/approvals/${id}`)).body).toMatchObject({ decided_by: { person: false } });
    const { items } = (await of.call('GET', `/v1/audit-log?resource_id=${id}&action=approval.approved`)).body;
    expect(items).toMatchObject([{ actor_user_id: null, after: { decided_by_person: false } }]);
  });

  it('say in the grant and in the audit log that a person decided if the token belongs to a user', async () => {
    const of = await openOffice(app);
    const bob = await asBob(of);
    const id = await of.pending();
    const answer = await bob.call('POST', `/v1/approvals/${id}/approve`);
    expect(answer.body).toMatchObject({ decided_by: { person: true } });
    const { items } = (await of.call('GET', `/v1/audit-log?resource_id=${id}&action=approval.approved`)).body;
    expect(items).toMatchObject([{ actor_user_id: bob.id, after: { decided_by_person: true } }]);
  });

  it('say in the grant, the audit log and the list of tokens if no known credential created the token that names a person', async () => {
    const of = await openOffice(app);
    const bob = await of.addUser('Bob');
    const call = await tokenOf(app, await tokenOf(app, of.call, bob.id), bob.id);
    const id = await of.pending();
    const told = { user_id: bob.id, person: false, issued_by_nobody: true };
    expect((await call('POST', `/v1/approvals/${id}/approve`)).body).toMatchObject({ decided_by: told });
    expect((await of.call('GET', `/v1/approvals/${id}`)).body).toMatchObject({ decided_by: told });
    const { items } = (await of.call('GET', `/v1/audit-log?resource_id=${id}&action=approval.approved`)).body;
    expect(items).toMatchObject([{ after: { decided_by_person: false, issued_by_nobody: true } }]);
    const tokens = (await of.call('GET', '/v1/tokens')).body.items;
    expect(tokens.map((token: { issued_by_nobody: boolean }) => token.issued_by_nobody)).toEqual([true, true, false]);
  });

  it('make doctor name the setting that requires a person', async () => {
    expect(await doctorOf(app)).toMatchObject({ ok: true, remedy: expect.stringContaining(`${SETTING}=true`) });
  });
});
