import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { operatorActor, SCOPES, TokenService, type Actor } from '#access';
import { createToken } from '../support/seed.js';
import { startTestApp, type Answer, type Call, type TestApp } from '../support/test-app.js';

const DAY_MS = 86_400_000;

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app?.close());

interface Made {
  id: string;
  call: Call;
  body: Answer['body'];
}

/** An organization with two administrators, Ada and Bob. */
interface Company {
  orgId: string;
  /** The operator's token, which belongs to no user. */
  operator: Made;
  ada: string;
  bob: string;
  asAda: Call;
}

async function company(): Promise<Company> {
  const { orgId, token, call } = await app.addOrganization();
  const hire = async (name: string): Promise<string> =>
    (await call('POST', '/v1/users', { email: `${name}-${randomUUID()}@example.com`, name })).body.id;
  const [ada, bob] = [await hire('ada'), await hire('bob')];
  const { items } = (await call('GET', '/v1/tokens')).body;
  const operator: Made = { id: items[0].id, call: app.as(token), body: items[0] };
  return { orgId, operator, ada, bob, asAda: app.as(await createToken(app.app, orgId, 'admin', ada)) };
}

async function make(call: Call, body: object): Promise<Made> {
  const answer = await call('POST', '/v1/tokens', { name: 'made', ...body });
  if (answer.status !== 201) throw new Error(answer.text);
  return { id: answer.body.id, call: app.as(answer.body.token), body: answer.body };
}

/** Whether the token is accepted. Its rights do not matter. */
const isAccepted = async ({ call }: Made): Promise<boolean> => (await call('GET', '/v1/audit-log')).status !== 401;
const inDays = (days: number): string => new Date(app.clock.now().getTime() + days * DAY_MS).toISOString();
const listed = async (call: Call, query = ''): Promise<Answer['body'][]> =>
  (await call('GET', `/v1/tokens?limit=100${query}`)).body.items;

/** The ways in which Ada loses her access. */
const LEAVES: [string, (of: Company) => Promise<Answer>][] = [
  ['is offboarded', ({ operator, ada }) => operator.call('POST', `/v1/users/${ada}/offboard`)],
  ['becomes inactive', ({ operator, ada }) => operator.call('PUT', `/v1/users/${ada}`, { status: 'inactive' })],
  [
    'is deactivated by the identity provider',
    ({ operator, ada }) =>
      operator.call('PATCH', `/scim/v2/Users/${ada}`, {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
        Operations: [{ op: 'replace', path: 'active', value: false }],
      }),
  ],
];

describe('a token that a user creates', () => {
  it.each(['admin', 'auditor', 'member'])('belongs to its creator if its role is %s', async role => {
    const { ada, asAda } = await company();
    const { id, body } = await make(asAda, { role });
    expect(body).toMatchObject({ user_id: ada, issued_by: [ada] });
    const found = (await listed(asAda)).find(token => token.id === id);
    expect(found).toMatchObject({ user_id: ada, issued_by: [ada], issued_by_token: expect.any(String) });
  });

  it.each(['agent', 'scim'])('belongs to the organization if its role is %s', async role => {
    const { ada, asAda } = await company();
    expect((await make(asAda, { role })).body).toMatchObject({ user_id: null, issued_by: [ada] });
  });

  it.each(LEAVES)('ends when its creator %s, unless it is a machine token', async (_how, leave) => {
    const of = await company();
    const direct = [
      await make(of.asAda, { role: 'admin' }),
      await make(of.asAda, { role: 'auditor' }),
      await make(of.asAda, { role: 'member' }),
      await make(of.asAda, { role: 'admin', user_id: of.bob }),
    ];
    const indirect = [
      await make(direct[0]!.call, { role: 'admin' }),
      await make(direct[3]!.call, { role: 'admin' }),
      await make(direct[3]!.call, { role: 'auditor', user_id: of.bob }),
    ];
    const machines = [await make(of.asAda, { role: 'agent' }), await make(direct[0]!.call, { role: 'scim' })];
    const before = await Promise.all([...direct, ...indirect, ...machines].map(isAccepted));
    expect(before).toEqual(before.map(() => true));
    expect((await leave(of)).status).toBe(200);
    const after = await Promise.all([...direct, ...indirect].map(isAccepted));
    expect(after).toEqual(after.map(() => false));
    expect(await Promise.all(machines.map(isAccepted))).toEqual([true, true]);
  });

  it('cannot reinstate its creator after offboarding, whatever its role and owner', async () => {
    const of = await company();
    const first = await make(of.asAda, { role: 'admin' });
    const shadow = (await of.asAda('POST', '/v1/users', { email: `s-${randomUUID()}@example.com`, name: 'S' })).body.id;
    const made = [
      first,
      await make(first.call, { role: 'admin' }),
      await make(of.asAda, { role: 'admin', user_id: of.bob }),
      await make(of.asAda, { role: 'admin', user_id: shadow }),
      await make(of.asAda, { role: 'agent' }),
      await make(of.asAda, { role: 'scim' }),
    ];
    await of.operator.call('POST', `/v1/users/${of.ada}/offboard`);
    const activate = {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations: [{ op: 'replace', path: 'active', value: true }],
    };
    for (const { call } of [{ call: of.asAda }, ...made]) {
      await call('POST', `/v1/users/${of.ada}/reinstate`);
      await call('PATCH', `/scim/v2/Users/${of.ada}`, activate);
      await call('DELETE', `/v1/users/${of.ada}/offboard`);
    }
    const { body } = await of.operator.call('GET', `/v1/users/${of.ada}`);
    expect(body).toMatchObject({ status: 'suspended', suspension_causes: ['offboarding'] });
  });

  it("cannot restore its creator's access by SCIM after the identity provider has removed it", async () => {
    const of = await company();
    const { email } = (await of.operator.call('GET', `/v1/users/${of.ada}`)).body;
    const second = await make(of.asAda, { role: 'admin', user_id: of.bob });
    const kept = [await make(of.asAda, { role: 'scim' }), await make(second.call, { role: 'scim' })];
    const set = (active: boolean): object => ({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations: [{ op: 'replace', path: 'active', value: active }],
    });
    const ada = { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: email, active: true };
    const refused = { status: 403, body: { status: '403', detail: expect.stringContaining('the operator made') } };
    const path = `/scim/v2/Users/${of.ada}`;
    const statusOf = async (): Promise<string> => (await of.operator.call('GET', `/v1/users/${of.ada}`)).body.status;

    await of.operator.call('PATCH', path, set(false));
    for (const { call } of kept) {
      expect(await call('PATCH', path, set(true))).toMatchObject(refused);
      expect(await call('PUT', path, ada)).toMatchObject(refused);
      // A token stays valid if it cannot restore Ada's access.
      expect((await call('PUT', path, { ...ada, active: false })).status).toBe(200);
    }
    expect(await statusOf()).toBe('suspended');

    expect((await of.operator.call('DELETE', path)).status).toBe(204);
    for (const { call } of kept) {
      expect(await call('POST', '/scim/v2/Users', ada)).toMatchObject(refused);
      expect(await call('POST', '/scim/v2/Users', { ...ada, active: false })).toMatchObject(refused);
    }
    expect(await statusOf()).toBe('suspended');

    const others = await make(app.as(await createToken(app.app, of.orgId, 'admin', of.bob)), { role: 'scim' });
    expect((await others.call('POST', '/scim/v2/Users', ada)).status).toBe(201);
    expect(await statusOf()).toBe('active');
  });

  it('stays revoked when its creator is reinstated, whoever its user is', async () => {
    const of = await company();
    const made = [await make(of.asAda, { role: 'admin' }), await make(of.asAda, { role: 'admin', user_id: of.bob })];
    made.push(await make(made[1]!.call, { role: 'auditor' }));
    await of.operator.call('POST', `/v1/users/${of.ada}/offboard`);
    expect((await of.operator.call('POST', `/v1/users/${of.ada}/reinstate`)).body.status).toBe('active');
    expect(await Promise.all(made.map(isAccepted))).toEqual([false, false, false]);
  });

  it('works again when its creator was inactive and becomes active', async () => {
    const of = await company();
    const made = await make(of.asAda, { role: 'admin', user_id: of.bob });
    await of.operator.call('PUT', `/v1/users/${of.ada}`, { status: 'inactive' });
    expect(await isAccepted(made)).toBe(false);
    await of.operator.call('PUT', `/v1/users/${of.ada}`, { status: 'active' });
    expect(await isAccepted(made)).toBe(true);
  });

  it('ends when the token that created it is revoked', async () => {
    const of = await company();
    const first = await make(of.asAda, { role: 'admin' });
    const second = await make(first.call, { role: 'admin' });
    const third = await make(second.call, { role: 'auditor' });
    await of.operator.call('DELETE', `/v1/tokens/${first.id}`);
    expect(await Promise.all([first, second, third].map(isAccepted))).toEqual([false, false, false]);
    const ids = (await listed(of.operator.call)).map(({ id }) => id);
    for (const { id } of [first, second, third]) expect(ids).not.toContain(id);
  });

  it.each(['auditor', 'member', 'agent', 'scim'])('cannot be created with the role %s', async role => {
    const { orgId, ada } = await company();
    const call = app.as(await createToken(app.app, orgId, role, ada));
    for (const wanted of ['admin', role]) {
      expect((await call('POST', '/v1/tokens', { name: 'x', role: wanted })).status).toBe(403);
    }
  });

  it('is found by its creator if the list is filtered by issued_by', async () => {
    const of = await company();
    const mine = [await make(of.asAda, { role: 'agent' }), await make(of.asAda, { role: 'admin', user_id: of.bob })];
    await make(of.operator.call, { role: 'agent' });
    const answer = await of.operator.call('GET', `/v1/tokens?issued_by=${of.ada.toUpperCase()}`);
    expect(answer.body.items.map(({ id }: { id: string }) => id).toSorted()).toEqual(
      mine.map(({ id }) => id).toSorted(),
    );
    expect(answer.body.total_count).toBe(2);
  });
});

describe("a token that the operator's token creates", () => {
  it.each(['admin', 'auditor', 'member', 'agent', 'scim'])('may belong to no user with the role %s', async role => {
    const { operator } = await company();
    const { body } = await make(operator.call, { role });
    expect(body).toMatchObject({ user_id: null, issued_by: [], issued_by_token: operator.id });
  });

  it.each(['admin', 'agent'])(
    'with the role %s ends when its creator is revoked, and so do the tokens that it created',
    async role => {
      const of = await company();
      const first = await make(of.operator.call, { role: 'admin' });
      const made = [await make(of.operator.call, { role }), await make(first.call, { role })];
      const ofPerson = await make(first.call, { role: 'admin', user_id: of.ada });
      made.push(await make(ofPerson.call, { role }), ofPerson);
      expect(await Promise.all(made.map(isAccepted))).toEqual(made.map(() => true));
      await of.operator.call('DELETE', `/v1/tokens/${of.operator.id}`);
      expect(await Promise.all([first, ...made].map(isAccepted))).toEqual([first, ...made].map(() => false));
      const ids = (await listed(of.asAda)).map(({ id }) => id);
      for (const { id } of [first, ...made]) expect(ids).not.toContain(id);
    },
  );

  it('has the revocation that ends it in its audit entry', async () => {
    const of = await company();
    await make(of.operator.call, { role: 'agent' });
    await make(of.operator.call, { role: 'admin' });
    await of.operator.call('DELETE', `/v1/tokens/${of.operator.id}`);
    const { items } = (await of.asAda('GET', `/v1/audit-log?resource_id=${of.operator.id}&action=token.revoked`)).body;
    expect(items).toMatchObject([{ after: { tokens_ended: 2 } }]);
  });

  it('is not created if its creator was revoked during the request', async () => {
    const of = await company();
    const actor: Actor = { ...operatorActor(of.orgId), kind: 'token', id: of.operator.id };
    await of.operator.call('DELETE', `/v1/tokens/${of.operator.id}`);
    const attempt = app.app.get(TokenService).issueFor(actor, { name: 'late', role: 'admin' });
    await expect(attempt).rejects.toMatchObject({ code: 'forbidden' });
  });
});

describe('the expiry of a token', () => {
  it('is that of its creator if none is given', async () => {
    const { operator } = await company();
    const maker = await make(operator.call, { role: 'admin', expires_at: inDays(10) });
    for (const role of ['admin', 'agent']) {
      expect((await make(maker.call, { role })).body.expires_at).toBe(maker.body.expires_at);
    }
  });

  it('is refused with the latest possible time if it is later than that of its creator', async () => {
    const { operator } = await company();
    const maker = await make(operator.call, { role: 'admin', expires_at: inDays(10) });
    for (const role of ['admin', 'agent']) {
      const answer = await maker.call('POST', '/v1/tokens', { name: 'x', role, expires_at: inDays(11) });
      expect(answer).toMatchObject({
        status: 400,
        body: { details: [{ field: 'expires_at', message: expect.stringContaining(maker.body.expires_at) }] },
      });
      expect((await make(maker.call, { role, expires_at: inDays(10) })).body.expires_at).toBe(inDays(10));
    }
  });
});

describe('a token that a sign-in creates', () => {
  const signedIn = ({ orgId, ada }: Company): Actor => ({
    ...{ orgId, kind: 'jwt', id: 'subject', name: 'Ada', scopes: new Set(SCOPES), userId: ada },
    ...{ address: null, requestId: null },
  });
  const issue = (of: Company, request: object, actor = signedIn(of)) =>
    app.app.get(TokenService).issueFor(actor, { name: 'x', role: 'admin', ...request });

  it('is valid for at most 90 days if the organization sets no limit', async () => {
    const of = await company();
    expect((await of.operator.call('GET', '/v1/organization')).body.sign_in_token_max_days).toBe(90);
    expect((await issue(of, {})).record.expiresAt?.toISOString()).toBe(inDays(90));
    await expect(issue(of, { expiresAt: new Date(inDays(91)) })).rejects.toMatchObject({
      code: 'bad_request',
      details: [{ field: 'expires_at', message: expect.stringContaining('sign_in_token_max_days') }],
    });
  });

  it.each(['admin', 'agent'])('is valid no longer than the organization allows with the role %s', async role => {
    const of = await company();
    expect((await of.operator.call('PATCH', '/v1/organization', { sign_in_token_max_days: 7 })).body).toMatchObject({
      sign_in_token_max_days: 7,
    });
    expect((await issue(of, { role })).record.expiresAt?.toISOString()).toBe(inDays(7));
    await expect(issue(of, { role, expiresAt: new Date(inDays(8)) })).rejects.toMatchObject({ code: 'bad_request' });
    expect((await make(of.asAda, { role, expires_at: inDays(80) })).body.expires_at).toBe(inDays(80));
  });

  it('is refused for a user token if the sign-in belongs to no user, and allowed for a machine token', async () => {
    const of = await company();
    const { userId: _, ...stranger } = signedIn(of);
    for (const request of [{}, { userId: of.bob }, { role: 'auditor' }]) {
      await expect(issue(of, request, stranger)).rejects.toMatchObject({ code: 'forbidden' });
    }
    expect((await issue(of, { role: 'agent' }, stranger)).record).toMatchObject({ userId: null });
  });

  it.each([0, 366, 1.5, '30', null])('cannot be limited to %j days', async days => {
    const of = await company();
    const answer = await of.operator.call('PATCH', '/v1/organization', { sign_in_token_max_days: days });
    expect(answer).toMatchObject({ status: 400, body: { details: [{ field: 'sign_in_token_max_days' }] } });
  });
});
