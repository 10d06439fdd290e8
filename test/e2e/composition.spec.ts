import { createHook } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { CallsModule } from '#calls';
import type { HttpRequest, Principal, Scope } from '#access';
import type { LibraryModule } from '#database';
import {
  BearerPrincipalResolver,
  createOpenApiDocument,
  Governance,
  GovernanceHealth,
  GovernanceModule,
  runMigrations,
  DeadLetters,
  UserDirectory,
  type DirectoryUser,
  type ForRootOptions,
  type UserReference,
} from '#governance';
import { OutboxWorker } from '#outbox';
import { PolicyModule } from '#policy';
import { UsageModule } from '#usage';
import { UsersModule } from '#users';
import { compositionOf, LIBRARIES } from '../../libs/governance/composition/libraries.js';
import { createOrganization, createToken } from '../support/seed.js';
import { createTestDatabase, type TestDatabase } from '../support/test-postgres.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

const KEYS = `k1:${Buffer.alloc(32, 3).toString('base64')}`;
const ANNA = randomUUID();

/** A host's own user directory. */
@Injectable()
class Staff extends UserDirectory {
  override find(_orgId: string, references: readonly UserReference[]): Promise<(DirectoryUser | undefined)[]> {
    const anna: DirectoryUser = {
      ...{ id: ANNA, email: 'anna@example.com', name: 'Anna', department: 'Sales', role: 'member' },
      ...{ status: 'active', attributes: {} },
    };
    return Promise.resolve(references.map(({ user_id: id }) => (id === ANNA ? anna : undefined)));
  }

  override emails(): Promise<Map<string, string>> {
    return Promise.resolve(new Map([[ANNA, 'anna@example.com']]));
  }

  override recordActivity(): Promise<void> {
    return Promise.resolve();
  }
}

/** A module of the host that already provides the directory. */
@Module({ providers: [Staff], exports: [Staff] })
class StaffModule {}

/** The tables that the migrations of a composition create, without partitions. */
async function tablesOf(database: TestDatabase): Promise<string[]> {
  const rows = await database.asOwner<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'governance'::regnamespace
     and relkind in ('r', 'p') and not relispartition order by 1`,
  );
  return rows.map(({ name }) => name);
}

/** Paths, tables and job handlers of a running host. */
async function insideOf(host: TestApp) {
  return {
    paths: Object.keys(createOpenApiDocument(host.app).paths),
    tables: await tablesOf(host.database),
  };
}

/** Everything that runs by itself in a host during `work`: job handlers, scheduled jobs, and files that set timers. */
async function activityOf(
  database: TestDatabase,
  options: Partial<ForRootOptions>,
  work: (host: TestApp) => Promise<unknown>,
) {
  const queues = jest.spyOn(OutboxWorker.prototype, 'addJob');
  const timers = new Set<string>();
  // Sees every timer of the process, including those of `node:timers/promises`.
  const hook = createHook({
    init(_id, type) {
      if (type !== 'Timeout') return;
      // Counts a timer only for its direct caller. A query of a library also sets timers in the driver, and these are
      // not the library's.
      const frames = (new Error('who').stack ?? '').split('\n').slice(2);
      const caller = frames.find(line => !line.includes('node:')) ?? '';
      const [, file] = /[\\/]libs[\\/]([\w-]+[\\/][\w./\\-]+?)(?:\.js|\.ts)?[:?]/.exec(caller) ?? [];
      if (file !== undefined) timers.add(file.replaceAll('\\', '/'));
    },
  }).enable();
  try {
    const imports = [...(options.imports ?? []), ScheduleModule.forRoot()];
    const host = await startTestApp({ ...options, imports, testDatabase: database, requestsPerMinute: 600 });
    try {
      await work(host);
      const jobs = [...host.app.get(SchedulerRegistry, { strict: false }).getCronJobs().keys()].toSorted();
      return { queues: queues.mock.calls.map(([{ name }]) => name).toSorted(), jobs, timers: [...timers].toSorted() };
    } finally {
      await host.close();
    }
  } finally {
    hook.disable();
    queues.mockRestore();
  }
}

/** The resources of a test. They are closed after it, the latest first. */
const opened: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close();
});

async function newDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  opened.push(() => database.drop());
  return database;
}

async function startHost(database: TestDatabase, options: Partial<ForRootOptions>): Promise<TestApp> {
  const host = await startTestApp({ ...options, testDatabase: database });
  opened.push(() => host.close());
  return host;
}

describe('a host with only policies and usage', () => {
  let database: TestDatabase;
  let host: TestApp;

  beforeAll(async () => {
    database = await createTestDatabase();
    host = await startTestApp({
      testDatabase: database,
      libraries: [PolicyModule, UsageModule],
      imports: [StaffModule],
      userDirectory: { useExisting: Staff },
    });
  });

  afterAll(async () => {
    await host?.close();
    await database?.drop();
  });

  it('decides and counts usage of its own users', async () => {
    const policy = { name: 'No sales', action: 'block', conditions: { department: { in: ['Sales'] } }, model: 'gpt-5' };
    expect((await host.call('POST', '/v1/policies', policy)).status).toBe(201);
    const request = { user_id: ANNA, model: 'gpt-5', provider: 'openai' };
    const governance = host.app.get(Governance, { strict: false });
    expect(await governance.decide(host.orgId, request)).toMatchObject({ allowed: false, reason: 'policy' });
    const event = {
      ...request,
      id: 'e1',
      occurred_at: host.clock.now().toISOString(),
      input_tokens: 9,
      output_tokens: 1,
    };
    expect(await governance.recordUsage(host.orgId, [event])).toMatchObject({ accepted: 1 });
    expect((await host.call('GET', '/v1/usage')).body.items).toMatchObject([{ user_id: ANNA, total_input_tokens: 9 }]);
  });

  it('has no route, path or table of another library', async () => {
    const { paths, tables } = await insideOf(host);
    expect(tables).not.toContain('open_calls');
    // Compares the complete list, so that a route of another library is found wherever it is mounted.
    expect([...new Set(paths.map(path => path.split('/').slice(0, 3).join('/')))].toSorted()).toEqual([
      ...['/health/live', '/health/ready', '/v1/approvals', '/v1/audit-log', '/v1/budgets', '/v1/configuration'],
      ...[
        '/v1/decisions',
        '/v1/discounts',
        '/v1/exchange-rates',
        '/v1/facets',
        '/v1/identities',
        '/v1/incidents',
        '/v1/limits',
        '/v1/organization',
        '/v1/policies',
        '/v1/prices',
        '/v1/reservations',
      ],
      ...['/v1/tokens', '/v1/usage'],
    ]);
    expect(paths.filter(path => /ticket|device|webhook/.test(path))).toEqual([]);
    expect(tables.filter(table => /user|device|scim|webhook|itsm|ticket|chat|connector/.test(table))).toEqual([]);
    for (const path of ['/v1/users', '/v1/devices', '/v1/webhooks', '/v1/itsm/kinds', '/scim/v2/Users']) {
      expect((await host.call('GET', path)).status).toBe(404);
    }
  });

  it('runs no worker, job or timer of another library', async () => {
    const own = {
      libraries: [PolicyModule, UsageModule],
      imports: [StaffModule],
      userDirectory: { useExisting: Staff },
    };
    const work = async ({ app, orgId, clock }: TestApp): Promise<void> => {
      const governance = app.get(Governance, { strict: false });
      const request = { user_id: ANNA, model: 'gpt-4o', provider: 'openai' };
      await governance.decide(orgId, request);
      const usage = { occurred_at: clock.now().toISOString(), input_tokens: 9, output_tokens: 1 };
      await governance.recordUsage(orgId, [{ ...request, ...usage, id: 'e2' }]);
    };
    const few = await activityOf(database, own, work);
    expect(few.queues).toEqual(['listener', 'usage-rerating']);
    expect(few.jobs).toEqual([
      'governance:approval-expiry',
      'governance:audit-retention',
      'governance:counter-upkeep',
      'governance:ended-allowances',
      'governance:focus-export',
      'governance:limit-upkeep',
      'governance:partitions',
      'governance:request-windows',
      'governance:reservation-expiry',
      'governance:token-use',
      'governance:usage-partitions',
      'governance:usage-touched-hours',
    ]);
    const all = await newDatabase();
    const many = await activityOf(all, {}, () => Promise.resolve());
    expect(many.queues).toEqual(
      expect.arrayContaining([
        ...['chat-reply', 'itsm', 'itsm-reconcile', 'listener', 'offboarding'],
        ...['usage-rerating', 'webhook', 'webhook-recovery'],
      ]),
    );
    expect(many.jobs).toEqual(expect.arrayContaining([...few.jobs, 'governance:audit-anchors']));
    expect(few.timers).toEqual([
      ...['core/within', 'database/change-feed', 'database/group-commit/key-queue', 'outbox/tasks/outbox-worker'],
    ]);
  });

  it('is ready without the migrations of other libraries', async () => {
    expect(await host.app.get(GovernanceHealth, { strict: false }).check()).toEqual({ status: 'ok' });
    expect(host.app.get(DeadLetters, { strict: false })).toBeInstanceOf(DeadLetters);
  });

  it('gets the tables of a library at the next boot after it is added', async () => {
    const before = await tablesOf(database);
    const more = await startHost(database, {
      libraries: LIBRARIES.filter(library => library !== UsersModule),
      userDirectory: Staff,
    });
    const token = await createToken(more.app, host.orgId, 'admin');
    expect((await more.as(token)('GET', '/v1/webhooks')).body).toMatchObject({ items: [] });
    expect((await more.as(token)('GET', '/v1/usage')).body.items).toHaveLength(1);
    expect((await tablesOf(database)).length).toBeGreaterThan(before.length);
  });
});

/** A library with all libraries that it requires. */
function withNeeded(library: LibraryModule): LibraryModule[] {
  // The host provides the users.
  const required = library.library.requires?.filter(service => service !== UserDirectory) ?? [];
  const needed = LIBRARIES.filter(({ library: { exports, ports = [] } }) =>
    required.some(service => exports.includes(service) || ports.some(({ provide }) => provide === service)),
  );
  return [...new Set([library, ...needed.flatMap(withNeeded)])];
}

describe('a host with its own resolver and without access tokens', () => {
  it('has no token routes, and accepts callers for SCIM if the resolver gives the scope', async () => {
    const scopes = new Map<unknown, Scope[]>([
      ['directory', ['scim:write']],
      ['reader', ['users:read']],
    ]);
    let orgId = '';
    const resolve = async ({ headers }: HttpRequest): Promise<Principal | null> => {
      const granted = scopes.get(headers['x-caller']);
      return granted ? { orgId, kind: 'host', id: 'x', name: 'X', scopes: new Set(granted) } : null;
    };
    const host = await startHost(await newDatabase(), { principalResolver: { useValue: { resolve } } });
    ({ orgId } = host);
    const statusFor = async (path: string, caller: string): Promise<number> =>
      (await fetch(host.url + path, { headers: { 'x-caller': caller } })).status;
    expect(await statusFor('/v1/tokens', 'directory')).toBe(404);
    expect(await statusFor('/scim/v2/Users', 'directory')).toBe(200);
    expect(await statusFor('/scim/v2/Users', 'reader')).toBe(403);
    expect(await statusFor('/scim/v2/Users', 'nobody')).toBe(401);
  });
});

describe('a host whose list of resolvers contains ours', () => {
  it.each([
    ['a class', BearerPrincipalResolver],
    ['useClass', { useClass: BearerPrincipalResolver }],
  ])('keeps the token routes if it is listed as %s', async (_form, ours) => {
    const nobody = { useValue: { resolve: () => Promise.resolve(null) } };
    const host = await startHost(await newDatabase(), { principalResolver: [nobody, ours] });
    const token = await createToken(host.app, host.orgId, 'admin');
    expect((await host.as(token)('GET', '/v1/tokens')).status).toBe(200);
  });
});

describe('each library', () => {
  const alone = LIBRARIES.map(library => [library.name, library] as const);

  it.each(alone)('%s boots with only the libraries that it requires, and serves its routes', async (_, library) => {
    const database = await newDatabase();
    const host = await startHost(database, {
      libraries: withNeeded(library),
      ...(library === UsersModule ? {} : { userDirectory: Staff }),
    });
    const { tables } = await insideOf(host);
    const all = await newDatabase();
    await runMigrations({ url: all.url });
    expect(tables.length).toBeLessThan((await tablesOf(all)).length);
    expect(host.app.get(GovernanceHealth, { strict: false })).toBeInstanceOf(GovernanceHealth);
    expect(await host.app.get(GovernanceHealth, { strict: false }).check()).toEqual({ status: 'ok' });
    const orgId = await createOrganization(host.app, 'Alone');
    const token = await createToken(host.app, orgId, 'admin');
    for (const path of listPathsOf(host, library)) {
      expect([path, (await host.as(token)('GET', path)).status]).toEqual([path, 200]);
    }
  });
});

/** Paths of the library's lists, which have no path parameters. */
function listPathsOf(host: TestApp, { library }: LibraryModule): string[] {
  const ours: Record<string, string[]> = {
    policy: ['/v1/policies', '/v1/approvals'],
    usage: ['/v1/usage', '/v1/budgets', '/v1/prices'],
    users: ['/v1/users', '/scim/v2/ServiceProviderConfig'],
    devices: ['/v1/devices'],
    itsm: ['/v1/itsm/kinds', '/v1/itsm/tickets'],
    calls: ['/v1/calls/open-passes'],
    webhooks: ['/v1/webhooks', '/v1/events/types'],
  };
  const paths = Object.keys(createOpenApiDocument(host.app).paths);
  return (ours[library.name] ?? []).filter(path => paths.includes(path) || path.startsWith('/scim'));
}

describe('a composition', () => {
  const options = { database: { url: 'postgres://127.0.0.1:1/none' }, keys: KEYS };

  it('is refused if a library needs users and nothing provides them', () => {
    expect(() => GovernanceModule.forRoot({ ...options, libraries: [PolicyModule] })).toThrow(
      'libraries: PolicyModule needs a UserDirectory: add UsersModule to `libraries`, or give `userDirectory`.',
    );
  });

  it('is refused if a library requires another one that is left out', () => {
    const without = (libraries: LibraryModule[]) => () =>
      GovernanceModule.forRoot({ ...options, libraries, userDirectory: Staff });
    expect(without([CallsModule, UsageModule])).toThrow(
      'libraries: CallsModule needs a DecisionService: add PolicyModule to `libraries`.',
    );
    expect(without([CallsModule, PolicyModule])).toThrow(
      'libraries: CallsModule needs a UsageIngestion: add UsageModule to `libraries`.',
    );
    expect(without([PolicyModule, UsageModule])).not.toThrow();
  });

  it('is refused if two components provide the users', () => {
    expect(() => GovernanceModule.forRoot({ ...options, libraries: [UsersModule], userDirectory: Staff })).toThrow(
      'libraries: UsersModule keeps people, and `userDirectory` says that the host does',
    );
  });

  it('is refused if it names something that is not a library', () => {
    class Stranger {
      static readonly library = UsersModule.library;
    }
    expect(() => GovernanceModule.forRoot({ ...options, libraries: [Stranger] })).toThrow(
      'libraries: Stranger is none; there are GatewayModule, PolicyModule, UsageModule',
    );
  });

  it('fails with a named error if a call needs a library that is left out', async () => {
    const database = await newDatabase();
    const host = await startHost(database, { libraries: [UsersModule] });
    await expect(host.app.get(Governance, { strict: false }).decide(host.orgId, {} as never)).rejects.toThrow(
      'This needs PolicyModule: add it to the `libraries` of GovernanceModule.',
    );
  });

  it('orders the migrations of its libraries the same way every time', () => {
    const names = compositionOf([UsageModule]).migrations.map(({ name }) => name);
    expect(names).toEqual(names.toSorted());
    expect(names.filter(name => /webhook|polic|user/.test(name))).toEqual([]);
  });
});

describe('an implementation of a port', () => {
  const forms = [
    ['class', Staff],
    ['useClass', { useClass: Staff }],
    ['useExisting', { useExisting: Staff }],
    ['useFactory', { useFactory: (staff: Staff) => staff, inject: [Staff] }],
    ['useValue', { useValue: new Staff() }],
  ] as const;

  it.each(forms)('may be provided as %s', async (form, userDirectory) => {
    const database = await newDatabase();
    const app = await NestFactory.createApplicationContext(
      GovernanceModule.forRootAsync({
        imports: [StaffModule],
        inject: [Staff],
        useFactory: () => ({ database: { url: database.url, migrations: 'run' }, keys: KEYS }),
        libraries: [PolicyModule],
        userDirectory,
      }),
      { logger: ['error'], abortOnError: false },
    );
    opened.push(() => app.close());
    const directory = app.get(UserDirectory, { strict: false });
    expect(directory).toBeInstanceOf(Staff);
    if (form === 'useExisting' || form === 'useFactory') expect(directory).toBe(app.get(Staff, { strict: false }));
  });
});
