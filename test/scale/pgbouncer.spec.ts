import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { runMigrations } from '#governance';
import { blocksOf } from '../docs/markdown.js';
import { deskStage } from '../e2e/itsm/tickets.support.js';
import { newUser, patch, scimCall } from '../e2e/scim/scim.support.js';
import { addBudget, openShop, reserve } from '../e2e/spend.support.js';
import { allUsage, report, usageEvent } from '../e2e/usage.support.js';
import { makeAuthority, trustInThisProcess } from '../support/certificates.js';
import { describeWhere } from '../support/describe-where.js';
import { startEndpoint, type Endpoint } from '../support/https-endpoint.js';
import { ScriptedAdapter } from '../support/itsm/scripted-adapter.js';
import { createMigratedDatabase } from '../support/migrated-database.js';
import { PGBOUNCER, startPgBouncer, type Pooler } from '../support/pgbouncer.js';
import { startTestApp, type Call, type TestApp } from '../support/test-app.js';
import { createTestDatabase, type TestDatabase } from '../support/test-postgres.js';
import { LOOPBACK_ALLOWED, registerWebhook, until } from '../support/webhooks.js';

const DECISION = { provider: 'openai', model: 'gpt-4o' };
const SERVER_CONNECTIONS = 4;
/**
 * Longer than the test, so that no replica polls. A replica then learns of another replica's changes only by
 * notification.
 */
const NEVER_MS = 3_600_000;

const blocks = blocksOf('docs/scale.md');
const blockOf = (mark: string): string => blocks.find(({ marks }) => marks[0] === mark)?.code ?? 'no such block';

describeWhere(PGBOUNCER === undefined && 'no PgBouncer', 'two replicas behind PgBouncer in transaction mode', () => {
  const login = { role: `pooled_${randomBytes(6).toString('hex')}`, password: 'secret' };
  let database: TestDatabase;
  let pooler: Pooler;
  let endpoint: Endpoint;
  let distrust: () => void;
  let one: TestApp;
  let two: TestApp;

  beforeAll(async () => {
    database = await createMigratedDatabase();
    await database.asOwner(`create role ${login.role} login noinherit password '${login.password}'`);
    await database.asOwner(`grant governance_app to ${login.role} with inherit false, set true`);
    await database.asOwner(blockOf('pooled-role').replaceAll('governance_login', login.role));
    const settings = blockOf('pgbouncer').replace(
      /default_pool_size = .*/,
      `default_pool_size = ${SERVER_CONNECTIONS}`,
    );
    pooler = await startPgBouncer(database.url, login, settings);
    const authority = await makeAuthority();
    distrust = trustInThisProcess(authority.caPem);
    endpoint = await startEndpoint({ authority, behaviour: 'ok' });
    one = await start();
    two = await start();
  });

  afterAll(async () => {
    await two?.close();
    await one?.close();
    await endpoint?.close();
    distrust?.();
    await pooler?.stop();
    await database?.drop();
    const server = await createTestDatabase();
    await server.asOwner(`drop role if exists ${login.role}`);
    await server.drop();
  });

  function start(): Promise<TestApp> {
    return startTestApp({
      ...LOOPBACK_ALLOWED,
      testDatabase: { ...database, url: pooler.through(database.url) },
      itsmAdapters: [ScriptedAdapter],
      database: {
        url: '',
        migrationUrl: database.url,
        preparedStatements: false,
        changes: { listenUrl: database.url, pollIntervalMs: NEVER_MS },
      },
    });
  }

  /** Calls the other replica with the same credential. */
  const elsewhere = (token: string): Call => two.as(token);

  const reasonOf = async (call: Call, userId: string): Promise<string> => {
    const { status, body } = await call('POST', '/v1/decisions', { ...DECISION, user_id: userId });
    expect(status).toBe(200);
    return body.reason;
  };

  it('share four server connections, with eight client connections each', async () => {
    const { call, token } = await one.addOrganization();
    const calls = Array.from({ length: 200 }, (_, at) => {
      const as = at % 2 === 0 ? call : elsewhere(token);
      return as('POST', '/v1/users', { email: `person-${at}@example.com`, name: 'Person' });
    });
    expect(new Set((await Promise.all(calls)).map(({ status }) => status))).toEqual(new Set([201]));
    const [used] = await database.asOwner<{ count: number }>(
      'select count(*)::int as count from pg_stat_activity where usename = $1',
      [login.role],
    );
    expect(used?.count).toBeGreaterThan(1);
    expect(used?.count).toBeLessThanOrEqual(SERVER_CONNECTIONS);
  });

  it('keep organizations apart', async () => {
    const [a, b] = [await one.addOrganization(), await one.addOrganization()];
    await Promise.all([a, b].map(({ call }) => call('POST', '/v1/policies', { name: 'Mine', action: 'block' })));
    const seen = await Promise.all(
      Array.from({ length: 50 }, async (_, at) => {
        const { orgId, token } = at % 2 === 0 ? a : b;
        const { body } = await elsewhere(token)('GET', '/v1/policies');
        return body.items.every((policy: { org_id: string }) => policy.org_id === orgId) && body.items.length === 1;
      }),
    );
    expect(new Set(seen)).toEqual(new Set([true]));
  });

  it('apply a suspension by notification, without a poll', async () => {
    const { call, token } = await one.addOrganization();
    const user = (await call('POST', '/v1/users', { email: 'ada@example.com', name: 'Ada' })).body.id;
    expect(await reasonOf(elsewhere(token), user)).toBe('no_policy_matched');
    expect((await call('POST', `/v1/users/${user}/offboard`)).status).toBe(200);
    await until(async () => (await reasonOf(elsewhere(token), user)) === 'user_suspended', 10_000);
  });

  it('import users by SCIM and suspend them on both', async () => {
    const admin = await one.addOrganization();
    const token = (await admin.call('POST', '/v1/tokens', { name: 'scim', role: 'scim' })).body.token;
    const person = await newUser(scimCall(one.as(token)), 'grace@example.com');
    for (const call of [admin.call, elsewhere(admin.token)]) {
      await until(async () => (await reasonOf(call, person.id)) === 'no_policy_matched', 10_000);
    }
    const change = patch({ op: 'replace', path: 'active', value: false });
    expect((await scimCall(two.as(token))('PATCH', `/Users/${person.id}`, change)).status).toBe(200);
    await until(async () => (await reasonOf(admin.call, person.id)) === 'user_suspended', 10_000);
  });

  it('never overspend a budget, and count usage once', async () => {
    const shop = await openShop(one);
    await addBudget(shop.call, 20 / 1_000_000);
    const replicas = [shop, { ...shop, app: two }];
    const verdicts = await Promise.all(Array.from({ length: 60 }, (_, at) => reserve(replicas[at % 2] ?? shop, 1)));
    expect(verdicts.filter(verdict => verdict?.allowed)).toHaveLength(20);
    const events = Array.from({ length: 40 }, () => usageEvent({ user_id: shop.userId, cost_usd: 0.5 }));
    const token = (await shop.call('POST', '/v1/tokens', { name: 'reporter', role: 'admin' })).body.token;
    await Promise.all(events.map((event, at) => report(at % 2 === 0 ? shop.call : elsewhere(token), event, event)));
    const items = await allUsage(elsewhere(token), 'start_date=2026-11-20&end_date=2026-11-20');
    expect(items).toMatchObject([{ total_requests: 40, estimated_cost_usd: 20 }]);
  });

  it('deliver a violation to a webhook and open one ticket', async () => {
    const stage = await deskStage(one);
    const webhook = await registerWebhook(stage.call, { url: endpoint.url, events: ['policy_violation'] });
    await stage.violate(elsewhere(stage.token));
    await stage.settled('created');
    const delivered = await until(async () => {
      const { body } = await stage.call('GET', `/v1/webhooks/${webhook.id}/deliveries`);
      return body.items.some(({ status }: { status: string }) => status === 'delivered') && body.items;
    });
    expect(delivered).toHaveLength(1);
    expect(await stage.tickets()).toHaveLength(1);
  });

  it('migrate an empty database by a direct connection', async () => {
    const empty = await createTestDatabase();
    const applied = await runMigrations({ url: pooler.through(empty.url), migrationUrl: empty.url });
    expect(applied.length).toBeGreaterThan(20);
    await empty.drop();
  });

  it('refuse to start if the login cannot take the role, with the remedy', async () => {
    const bare = { role: `${login.role}_bare`, password: 'secret' };
    await database.asOwner(`create role ${bare.role} login noinherit password '${bare.password}'`);
    await database.asOwner(`grant governance_app to ${bare.role} with inherit false, set true`);
    const other = await startPgBouncer(database.url, bare, blockOf('pgbouncer'));
    const started = startTestApp({
      testDatabase: { ...database, url: other.through(database.url) },
      database: { url: '', migrations: 'check' },
    });
    await expect(started).rejects.toThrow(`Connections arrive as ${bare.role}`);
    await other.stop();
    await database.asOwner(`drop role ${bare.role}`);
  });
});
