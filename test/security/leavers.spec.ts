import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newRequest, newToken } from '../e2e/devices/devices.support.js';
import { expectOk, identityProvider, newUser, patch } from '../e2e/scim/scim.support.js';
import { SlackWorkspace } from '../support/itsm/slack.js';
import { startTestApp, type Call, type TestApp } from '../support/test-app.js';
import { until } from '../support/webhooks.js';

const DAY_MS = 86_400_000;

let app: TestApp;
let scim: Call;
let slack: SlackWorkspace;
let accounts = 0;

beforeAll(async () => {
  app = await startTestApp();
  scim = await identityProvider(app);
  slack = new SlackWorkspace(app);
  const workspace = { platform: 'slack', workspace: slack.id, signing_secret: slack.secret };
  await expectOk(app.call('POST', '/v1/chat/workspaces', workspace));
});

afterAll(() => app?.close());

/** A user with a valid token, a chat account and an open enrollment. */
interface Person {
  id: string;
  email: string;
  /** The answers for the token, the chat account and the enrollment. */
  tries(): Promise<{ token: number; chat: string; enrollment: number }>;
}

const REFUSED = { token: 401, chat: 'unlinked', enrollment: 401 };

async function hire(): Promise<Person> {
  const email = `${randomUUID()}@example.com`;
  const { id } = await newUser(scim, email);
  const { token } = await app.addToken('member', id);
  const account = `U${String(++accounts).padStart(9, '0')}`;
  const link = { platform: 'slack', workspace: slack.id, account, user_id: id };
  await expectOk(app.call('POST', '/v1/chat/links', link));
  const enrollment = await newToken(app.call, id);
  const { csr } = await newRequest();
  return {
    id,
    email,
    async tries() {
      const said: string = (await slack.type(account, 'help')).body.text;
      const chat = said.includes('not linked')
        ? 'unlinked'
        : said.includes('is suspended or inactive')
          ? 'inactive'
          : 'linked';
      return {
        token: (await app.as(token)('GET', `/v1/users/${id}`)).status,
        chat,
        // The certificate request is invalid, so that the enrollment stays open.
        enrollment: (await app.as(null)('POST', '/v1/devices/enroll', { token: enrollment, csr: csr.slice(0, -90) }))
          .status,
      };
    },
  };
}

const statusOf = async (id: string): Promise<string> => (await app.call('GET', `/v1/users/${id}`)).body.status;
const offboard = (id: string, body?: object) => expectOk(app.call('POST', `/v1/users/${id}/offboard`, body));
const reinstate = (id: string) => expectOk(app.call('POST', `/v1/users/${id}/reinstate`));
const setActive = (id: string, value: boolean) =>
  expectOk(scim('PATCH', `/Users/${id}`, patch({ op: 'replace', path: 'active', value })));

const WAYS: [string, (person: Person) => Promise<unknown>, (person: Person) => Promise<unknown>][] = [
  ['offboarding and reinstatement', ({ id }) => offboard(id), ({ id }) => reinstate(id)],
  [
    'removal by SCIM and a new user with the same address',
    ({ id }) => expectOk(scim('DELETE', `/Users/${id}`)),
    ({ email }) => newUser(scim, email, { externalId: 'somebody else' }),
  ],
  ['deactivation and activation by SCIM', ({ id }) => setActive(id, false), ({ id }) => setActive(id, true)],
];

describe('credentials of a person', () => {
  it('all work while the person is active', async () => {
    expect(await (await hire()).tries()).toEqual({ token: 200, chat: 'linked', enrollment: 400 });
  });

  it.each(WAYS)('stay refused after %s', async (_how, leave, comeBack) => {
    const person = await hire();
    expect(await person.tries()).toEqual({ token: 200, chat: 'linked', enrollment: 400 });
    await leave(person);
    expect(await person.tries()).toEqual(REFUSED);
    await comeBack(person);
    expect(await statusOf(person.id)).toBe('active');
    expect(await person.tries()).toEqual(REFUSED);
    const { items } = (await app.call('GET', '/v1/tokens?limit=100')).body;
    expect(items.filter((token: { user_id: string }) => token.user_id === person.id)).toEqual([]);
  });

  it('are replaced by new ones when the person has come back', async () => {
    const { id } = await hire();
    await offboard(id);
    await reinstate(id);
    const { call } = await app.addToken('member', id);
    expect((await call('GET', `/v1/users/${id}`)).status).toBe(200);
  });

  it('end on the day of a planned departure and not before', async () => {
    const time = app.clock.now();
    const person = await hire();
    const departsAt = new Date(time.getTime() + DAY_MS / 2);
    await offboard(person.id, { departure_date: departsAt.toISOString() });
    expect(await person.tries()).toEqual({ token: 200, chat: 'linked', enrollment: 400 });
    app.clock.advance(DAY_MS / 2);
    await app.database.asOwner(`update governance.tasks set due_at = governance.now() where id = $1`, [person.id]);
    await app.database.asOwner(`select pg_notify('governance_tasks', 'offboarding')`);
    await until(async () => (await statusOf(person.id)) === 'suspended');
    await reinstate(person.id);
    expect(await person.tries()).toEqual(REFUSED);
    app.clock.advance(-DAY_MS / 2);
  });

  it('are refused only while the person is inactive', async () => {
    const person = await hire();
    await expectOk(app.call('PUT', `/v1/users/${person.id}`, { status: 'inactive' }));
    expect(await person.tries()).toEqual({ token: 401, chat: 'inactive', enrollment: 400 });
    await expectOk(app.call('PUT', `/v1/users/${person.id}`, { status: 'active' }));
    expect(await person.tries()).toEqual({ token: 200, chat: 'linked', enrollment: 400 });
  });

  it('each get an audit entry when they end', async () => {
    const { id } = await hire();
    await offboard(id);
    const { items } = (await app.call('GET', '/v1/audit-log?limit=4')).body;
    expect(items.map(({ action }: { action: string }) => action).toSorted()).toEqual([
      'chat_link.deleted',
      'device_enrollment.cancelled',
      'token.revoked',
      'user.suspended',
    ]);
  });

  it('are not created for a suspended user', async () => {
    const { id } = await hire();
    await offboard(id);
    const account = `U${String(++accounts).padStart(9, '0')}`;
    const answers = [
      await app.call('POST', '/v1/tokens', { name: 'early', role: 'member', user_id: id }),
      await app.call('POST', '/v1/chat/links', { platform: 'slack', workspace: slack.id, account, user_id: id }),
    ];
    for (const { status, body } of answers) {
      expect([status, body.details]).toEqual([
        400,
        [{ field: 'user_id', message: 'is suspended; reinstate the user first' }],
      ]);
    }
  });

  it('end, too, if they are created while the person leaves', async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await hire();
      const make = () => app.call('POST', '/v1/tokens', { name: 'late', role: 'member', user_id: id });
      const made = await Promise.all([make(), make(), offboard(id), make(), make()]);
      await reinstate(id);
      const tokens = made.flatMap(({ body }) => (typeof body.token === 'string' ? [body.token] : []));
      const statuses = await Promise.all(
        tokens.map(async token => (await app.as(token)('GET', `/v1/users/${id}`)).status),
      );
      expect(statuses).toEqual(tokens.map(() => 401));
    }
  });

  it('are refused for good on a replica that had cached them', async () => {
    const { database: testDatabase, orgId, clock: time } = app;
    const other = await startTestApp({ testDatabase, orgId, time });
    try {
      const { id } = await hire();
      const { token } = await app.addToken('member', id);
      const ask = async () => (await other.as(token)('GET', `/v1/users/${id}`)).status;
      expect(await ask()).toBe(200);
      await offboard(id);
      await reinstate(id);
      const fresh = await app.addToken('member', id);
      // Once the other replica accepts the new token, it knows that the person is back.
      await until(async () => (await other.as(fresh.token)('GET', `/v1/users/${id}`)).status === 200);
      expect(await ask()).toBe(401);
    } finally {
      await other.close();
    }
  });
});
