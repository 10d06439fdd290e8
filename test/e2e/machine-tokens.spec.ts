import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OutboxWorker } from '#outbox';
import { createToken } from '../support/seed.js';
import { startTestApp, type Answer, type Call, type TestApp } from '../support/test-app.js';
import { moveTime, type MovedTime } from '../support/moved-time.js';
import { until } from '../support/webhooks.js';

const DAY_MS = 86_400_000;

let app: TestApp;
let time: MovedTime;

beforeAll(async () => {
  app = await startTestApp();
  time = await moveTime(app.database);
});

afterAll(() => app?.close());

interface Made {
  id: string;
  token: string;
}

/** An organization in which Ada, who leaves, has created a token of each machine role. */
interface Company {
  orgId: string;
  call: Call;
  ada: string;
  asAda: Call;
  machines: Made[];
}

async function make(call: Call, body: object): Promise<Made> {
  const answer = await call('POST', '/v1/tokens', { name: 'made', ...body });
  if (answer.status !== 201) throw new Error(answer.text);
  return { id: answer.body.id, token: answer.body.token };
}

async function company(): Promise<Company> {
  const { orgId, call } = await app.addOrganization();
  const ada: string = (await call('POST', '/v1/users', { email: `${randomUUID()}@example.com`, name: 'Ada' })).body.id;
  const asAda = app.as(await createToken(app.app, orgId, 'admin', ada));
  const second = await make(asAda, { role: 'admin' });
  const machines = [await make(asAda, { role: 'agent' }), await make(app.as(second.token), { role: 'scim' })];
  // A token that another user has created.
  await make(call, { role: 'agent' });
  return { orgId, call, ada, asAda, machines };
}

const isAccepted = async ({ token }: Made): Promise<boolean> =>
  (await app.as(token)('GET', '/v1/audit-log')).status !== 401;
const offboard = ({ call, ada }: Company, body?: object, as = call): Promise<Answer> =>
  as('POST', `/v1/users/${ada}/offboard`, body);
const idsOf = (machines: readonly { id: string }[]): string[] =>
  machines.map(({ id }) => id).toSorted((a, b) => (a < b ? -1 : 1));

const SCIM_PATCH = {
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations: [{ op: 'replace', path: 'active', value: false }],
};

/** The ways in which Ada loses her access while her machine tokens stay valid. */
const LEAVES: [string, (of: Company) => Promise<Answer>][] = [
  ['is offboarded', offboard],
  ['is deactivated by the identity provider', ({ call, ada }) => call('PATCH', `/scim/v2/Users/${ada}`, SCIM_PATCH)],
  ['is deleted by the identity provider', ({ call, ada }) => call('DELETE', `/scim/v2/Users/${ada}`)],
];

describe('the machine tokens of a user', () => {
  it.each(LEAVES)('are named in the audit log when the user %s', async (_how, leave) => {
    const of = await company();
    expect((await leave(of)).status).toBeLessThan(300);
    const { items } = (await of.call('GET', `/v1/audit-log?resource_id=${of.ada}&action=user.suspended`)).body;
    expect(items).toMatchObject([{ after: { machine_tokens_total: 2 } }]);
    expect(items[0].after.machine_tokens.toSorted()).toEqual(idsOf(of.machines));
    expect(await Promise.all(of.machines.map(isAccepted))).toEqual([true, true]);
  });

  it('are not named in the audit log when they are revoked at once', async () => {
    const of = await company();
    await offboard(of, { revoke_machine_tokens: true });
    const { items } = (await of.call('GET', `/v1/audit-log?resource_id=${of.ada}&action=user.suspended`)).body;
    expect(items[0].after).not.toHaveProperty('machine_tokens');
  });

  it.each(LEAVES)('are revoked afterwards in one request when the user %s', async (_how, leave) => {
    const of = await company();
    await leave(of);
    const others = (await of.call('GET', '/v1/tokens?limit=100')).body.items.filter(
      ({ issued_by: by }: Answer['body']) => !by.includes(of.ada),
    );
    const revoke = () => of.call('DELETE', `/v1/tokens?issued_by=${of.ada.toUpperCase()}`);
    expect(await revoke()).toMatchObject({ status: 200, body: { revoked: 2 } });
    expect(await Promise.all(of.machines.map(isAccepted))).toEqual([false, false]);
    for (const { id } of of.machines) {
      const { items } = (await of.call('GET', `/v1/audit-log?resource_id=${id}&action=token.revoked`)).body;
      expect(items).toHaveLength(1);
    }
    expect((await of.call('GET', '/v1/tokens?limit=100')).body.items.map(({ id }: Made) => id)).toEqual(
      others.map(({ id }: Made) => id),
    );
    expect(await revoke()).toMatchObject({ status: 200, body: { revoked: 0 } });
  });

  it('are not revoked if the request names no user', async () => {
    const of = await company();
    const answer = await of.call('DELETE', '/v1/tokens');
    expect(answer).toMatchObject({ status: 400, body: { details: [{ field: 'issued_by' }] } });
    expect(await Promise.all(of.machines.map(isAccepted))).toEqual([true, true]);
  });
});

describe('the answer to offboarding', () => {
  it('names the machine tokens that the user created, and keeps them', async () => {
    const of = await company();
    const { status, body } = await offboard(of);
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: of.ada, status: 'suspended', machine_tokens_total: 2 });
    expect(idsOf(body.machine_tokens)).toEqual(idsOf(of.machines));
    expect(body.machine_tokens[0]).toEqual({
      id: expect.any(String),
      name: 'made',
      role: expect.stringMatching(/^(agent|scim)$/),
      created_at: expect.any(String),
      expires_at: expect.any(String),
      revoked: false,
    });
    expect(await Promise.all(of.machines.map(isAccepted))).toEqual([true, true]);
  });

  it('names no machine tokens if the user created none', async () => {
    const { call } = await company();
    const { id } = (await call('POST', '/v1/users', { email: `${randomUUID()}@example.com`, name: 'Bob' })).body;
    const { body } = await call('POST', `/v1/users/${id}/offboard`);
    expect(body).toMatchObject({ machine_tokens: [], machine_tokens_total: 0 });
  });

  it('says that the machine tokens are revoked if the request says so', async () => {
    const of = await company();
    const { status, body } = await offboard(of, { revoke_machine_tokens: true });
    expect(status).toBe(200);
    expect(idsOf(body.machine_tokens)).toEqual(idsOf(of.machines));
    for (const { revoked } of body.machine_tokens) expect(revoked).toBe(true);
    expect(await Promise.all(of.machines.map(isAccepted))).toEqual([false, false]);
    for (const { id } of of.machines) {
      const { items } = (await of.call('GET', `/v1/audit-log?resource_id=${id}&action=token.revoked`)).body;
      expect(items).toHaveLength(1);
    }
    expect((await of.call('GET', `/v1/tokens?issued_by=${of.ada}`)).body.items).toEqual([]);
  });

  it('revokes no other tokens when machine tokens are revoked', async () => {
    const of = await company();
    const before = (await of.call('GET', '/v1/tokens?limit=100')).body.items;
    await offboard(of, { revoke_machine_tokens: true });
    const after = (await of.call('GET', '/v1/tokens?limit=100')).body.items;
    const isMine = ({ issued_by: by, user_id: user }: Answer['body']) => by.includes(of.ada) || user === of.ada;
    expect(idsOf(after)).toEqual(idsOf(before.filter((token: Answer['body']) => !isMine(token))));
  });

  it.each([
    [{ revoke_machine_tokens: true }, [false, false]],
    [{}, [true, true]],
  ])('keeps the option %j until the departure date if one is given', async (options, accepted) => {
    const of = await company();
    const departure_date = new Date(app.clock.now().getTime() + DAY_MS).toISOString();
    const { body } = await offboard(of, { departure_date, ...options });
    expect(body).toMatchObject({ status: 'active', machine_tokens_total: 2 });
    for (const { revoked } of body.machine_tokens) expect(revoked).toBe(false);
    expect(await Promise.all(of.machines.map(isAccepted))).toEqual([true, true]);
    const late = await make(of.asAda, { role: 'agent' });
    app.clock.advance(DAY_MS + 1_000);
    await time.advance(DAY_MS + 1_000);
    app.app.get(OutboxWorker).wake();
    await until(async () => (await of.call('GET', `/v1/users/${of.ada}`)).body.status === 'suspended');
    expect(await Promise.all([...of.machines, late].map(isAccepted))).toEqual([...accepted, accepted[0]]);
  });

  it('needs tokens:read to name tokens and tokens:write to revoke them', async () => {
    const of = await company();
    const narrow = await make(of.call, { role: 'admin', scopes: ['users:write'] });
    const refused = await offboard(of, { revoke_machine_tokens: true }, app.as(narrow.token));
    expect(refused).toMatchObject({ status: 403, body: { message: expect.stringContaining('tokens:write') } });
    const { status, body } = await offboard(of, {}, app.as(narrow.token));
    expect(status).toBe(200);
    expect(body).toMatchObject({ machine_tokens: null, machine_tokens_total: null });
  });
});
