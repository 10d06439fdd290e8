import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { MikroORM } from '@mikro-orm/postgresql';
import {
  AuditLogReader,
  Governance,
  operatorActor,
  OrganizationNotFoundError,
  TokenService,
  UnavailableError,
  type Principal,
} from '#governance';
import { SCOPES } from '#access';
import { IncidentService } from '#incidents';
import { ConnectorListService } from '#itsm';
import { DecisionService, PolicyService } from '#policy';
import { UsageIngestion } from '#usage';
import { UserService } from '#users';
import { WebhookService } from '#webhooks';
import { sqlOf } from '#database';
import { ManualClock } from '../support/manual-clock.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { startTcpProxy } from '../support/tcp-proxy.js';

const REQUEST = { user_email: 'ada@example.com', provider: 'openai', model: 'gpt-4o' };
const EVENT = {
  ...REQUEST,
  id: 'one',
  occurred_at: new ManualClock().now().toISOString(),
  input_tokens: 1,
  output_tokens: 1,
};

describe('an organization that does not exist', () => {
  let app: TestApp;
  let host: MikroORM;
  let unknown: string;
  let principal: Principal;

  beforeAll(async () => {
    const resolver = { resolve: () => Promise.resolve(principal) };
    app = await startTestApp({ principalResolver: { useValue: resolver } });
    host = await MikroORM.init({ clientUrl: app.database.url, entities: [], discovery: { warnWhenNoEntities: false } });
  });

  afterAll(async () => {
    await host?.close(true);
    await app?.close();
  });

  beforeEach(() => {
    unknown = randomUUID();
    principal = { orgId: unknown, kind: 'host', id: 'a', name: 'A', scopes: new Set(SCOPES) };
  });

  const get = <T>(service: abstract new (...args: never[]) => T): T => app.app.get<T>(service, { strict: false });

  it.each<[string, () => Promise<unknown>]>([
    ['decide', () => get(Governance).decide(unknown, REQUEST)],
    ['decideAll', () => get(DecisionService).decideAll(unknown, [REQUEST])],
    ['recordUsage', () => get(Governance).recordUsage(unknown, [EVENT])],
    ['record', () => get(UsageIngestion).record(unknown, [EVENT])],
    ['release', () => get(Governance).release(unknown, randomUUID())],
    ['issue a token', () => get(TokenService).issue(unknown, { name: 'a', role: 'admin' })],
    [
      'create a user',
      () => get(UserService).create(operatorActor(unknown), { email: 'a@example.com', name: 'A' } as never),
    ],
    [
      'create a policy',
      () => get(PolicyService).create(operatorActor(unknown), { name: 'a', action: 'block' } as never),
    ],
    ['get an incident', () => get(IncidentService).get(unknown, randomUUID())],
    ['get a webhook', () => get(WebhookService).get(unknown, randomUUID())],
    ['list connectors', () => get(ConnectorListService).list(unknown, { limit: 1 }, row => row)],
    ['read the audit log', () => get(AuditLogReader).list(unknown, {}, { limit: 1 }, row => row)],
  ])('is refused with its id and the remedy: %s', async (_what, act) => {
    const thrown = await act().catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(OrganizationNotFoundError);
    expect(thrown).toMatchObject({ message: expect.stringContaining(unknown) });
    expect(thrown).toMatchObject({ message: expect.stringContaining('ensureOrganization({ id, name })') });
  });

  it.each<[string, (em: MikroORM['em']) => Promise<unknown>]>([
    ['decide', em => get(Governance).decide(unknown, REQUEST, { em })],
    ['recordUsage', em => get(Governance).recordUsage(unknown, [EVENT], { em })],
  ])('is refused inside a transaction of the host, which can continue: %s', async (_what, act) => {
    const result = await host.em.fork().transactional(async em => {
      await expect(act(em)).rejects.toThrow(OrganizationNotFoundError);
      return sqlOf(em).query('select 1 as one');
    });
    expect(result).toEqual([{ one: 1 }]);
  });

  it.each<[string, string, object | undefined]>([
    ['GET', '/v1/policies', undefined],
    ['GET', '/v1/users', undefined],
    ['GET', '/v1/incidents', undefined],
    ['GET', '/v1/organization', undefined],
    ['POST', '/v1/decisions', REQUEST],
    ['POST', '/v1/usage/events', { events: [EVENT] }],
    ['POST', '/v1/users', { email: 'a@example.com', name: 'A' }],
  ])('is 404 over HTTP if a resolver of the host names it: %s %s', async (method, path, body) => {
    expect(await app.as(null)(method, path, body)).toMatchObject({
      status: 404,
      body: { error: 'not_found', message: expect.stringContaining(unknown) },
    });
  });

  it('can be used as soon as it is created, also after a refusal', async () => {
    const governance = get(Governance);
    await expect(governance.decide(unknown, REQUEST)).rejects.toThrow(OrganizationNotFoundError);
    expect(await governance.ensureOrganization({ id: unknown, name: 'Late' })).toEqual({ id: unknown, created: true });
    expect(await governance.decide(unknown, REQUEST)).toMatchObject({ reason: 'unknown_user' });
  });

  it.each(['acme', '', undefined])('is an argument error if its id is %p', async id => {
    const governance = get(Governance);
    for (const act of [
      () => governance.decide(id as string, REQUEST),
      () => governance.recordUsage(id as string, [EVENT]),
      () => governance.release(id as string, randomUUID()),
    ]) {
      await expect(act()).rejects.toThrow('orgId: must be the UUID of an organization');
    }
  });
});

describe('ensureOrganization', () => {
  let replicas: TestApp[] = [];

  beforeAll(async () => {
    const first = await startTestApp();
    replicas = [first, await startTestApp({ testDatabase: first.database, orgId: first.orgId })];
  });

  afterAll(async () => {
    for (const replica of replicas.toReversed()) await replica.close();
  });

  const governanceOf = (replica: TestApp | undefined): Governance => {
    if (!replica) throw new Error('there are two replicas');
    return replica.app.get(Governance, { strict: false });
  };

  it('creates one organization and one audit entry for concurrent calls by replicas', async () => {
    const id = randomUUID().toUpperCase();
    const wanted = { id, name: 'Example Corp', time_zone: 'Europe/Berlin' };
    const made = await Promise.all(
      Array.from({ length: 8 }, (_, at) => governanceOf(replicas[at % 2]).ensureOrganization(wanted)),
    );
    expect(made.filter(({ created }) => created)).toHaveLength(1);
    expect(new Set(made.map(each => each.id))).toEqual(new Set([id.toLowerCase()]));
    const [replica] = replicas;
    const rows = await replica?.database.asOwner(
      `select action, after->>'name' as name, after->>'time_zone' as zone from governance.audit_log where org_id = '${id}'`,
    );
    expect(rows).toEqual([{ action: 'organization.created', name: 'Example Corp', zone: 'Europe/Berlin' }]);
  });

  it('does not rename an existing organization', async () => {
    const [replica] = replicas;
    const { orgId, call } = (await replica?.addOrganization('First name')) ?? { orgId: '', call: undefined };
    expect(await governanceOf(replicas[1]).ensureOrganization({ id: orgId, name: 'Second name' })).toEqual({
      id: orgId,
      created: false,
    });
    expect((await call?.('GET', '/v1/organization'))?.body.name).toBe('First name');
  });

  it.each([
    [{ id: 'acme', name: 'Acme' }, 'id: must be a UUID'],
    [{ id: randomUUID(), name: ' ' }, 'name: must be a text of 1 to 255'],
    [{ id: randomUUID() }, 'name: must be a text'],
    [{ id: randomUUID(), name: 'Acme', time_zone: '+01:00' }, 'time_zone: must be an IANA time zone'],
    [{ id: randomUUID(), name: 'Acme', timezone: 'UTC' }, 'timezone: is not a field'],
  ])('names the invalid field: %j', async (wanted, message) => {
    await expect(governanceOf(replicas[0]).ensureOrganization(wanted as never)).rejects.toThrow(message);
  });
});

describe('a process that has lost its database', () => {
  it('decides for the organizations that it knows, and reports no other as unknown', async () => {
    const origin = await startTestApp();
    const target = new URL(origin.database.url);
    const proxy = await startTcpProxy(Number(target.port), target.hostname);
    target.host = `127.0.0.1:${proxy.port}`;
    const cut = await startTestApp({
      testDatabase: { ...origin.database, url: target.href },
      orgId: origin.orgId,
      database: { migrations: 'check', url: target.href },
    });
    const governance = cut.app.get(Governance, { strict: false });
    try {
      const before = await governance.decide(origin.orgId, REQUEST);
      await proxy.refuse();
      proxy.cut();
      expect(await governance.decide(origin.orgId, REQUEST)).toMatchObject({ reason: before.reason });
      await expect(governance.decide(randomUUID(), REQUEST)).rejects.toThrow(UnavailableError);
    } finally {
      await proxy.accept();
      await cut.close();
      await proxy.close();
      await origin.close();
    }
  });
});
