import { randomUUID } from 'node:crypto';
import { NestFactory, type AbstractHttpAdapter } from '@nestjs/core';
import { Module, type DynamicModule, type INestApplication, type Type } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import { ErrorFilter } from '#access';
import { Clock } from '#core';
import { GovernanceModule, type ForRootOptions } from '#governance';
import { PolicyModule } from '#policy';
import { createOrganization, createToken } from './seed.js';
import { ManualClock } from './manual-clock.js';
import { createMigratedDatabase } from './migrated-database.js';
import type { TestDatabase } from './test-postgres.js';

/** The answer to a request. */
export interface Answer {
  status: number;
  headers: Headers;
  /** The parsed JSON body; null if there is none. */
  body: any; // oxlint-disable-line typescript/no-explicit-any -- tests read deep into bodies; expectations are the check
  text: string;
}

/** Sends requests with one credential. */
export type Call = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;

/** A running app with a separate database and one organization. */
export interface TestApp {
  app: INestApplication;
  url: string;
  database: TestDatabase;
  clock: ManualClock;
  orgId: string;
  /** The bearer token of an admin, who has every scope. */
  adminToken: string;
  /** Sends requests as the admin. Objects are sent as JSON, texts unchanged. */
  call: Call;
  /** Sends requests with another credential, or without one. */
  as(token: string | null): Call;
  /** Another organization with its own admin. */
  addOrganization(name?: string): Promise<{ orgId: string; token: string; call: Call }>;
  /** An access token with a role in the app's first organization. */
  addToken(role: string, userId?: string): Promise<{ token: string; call: Call }>;
  close(): Promise<void>;
}

const KEYS = `k1:${Buffer.alloc(32, 7).toString('base64')}`;

/**
 * Starts the module in a Nest application over real HTTP. Pass `database` to start several replicas on one database;
 * the replica that creates it also drops it. `planted`: controllers that are added to those of the module. `adapter`:
 * Express by default.
 */
export async function startTestApp(
  options: Partial<ForRootOptions> & {
    testDatabase?: TestDatabase;
    orgId?: string;
    time?: ManualClock;
    planted?: Type[];
    adapter?: AbstractHttpAdapter;
  } = {},
): Promise<TestApp> {
  const { testDatabase, time, orgId: givenOrg, planted = [], adapter = new ExpressAdapter(), ...given } = options;
  const database = testDatabase ?? (await createMigratedDatabase());
  const clock = time ?? new ManualClock();

  class TestClock extends Clock {
    override now(): Date {
      return clock.now();
    }
  }

  const governance = GovernanceModule.forRoot({
    keys: KEYS,
    requestsPerMinute: 0,
    failedSignInsPerMinute: 0,
    clock: TestClock,
    health: true,
    ...given,
    // A test may pass other options of the database, but the URL is always that of the test database.
    database: { migrations: testDatabase ? 'run' : 'check', poolSize: 8, ...given.database, url: database.url },
  });

  addControllers(governance, planted);

  @Module({ imports: [governance] })
  class TestHost {}

  const app = await NestFactory.create(TestHost, adapter, {
    bodyParser: false,
    logger: ['error'],
    abortOnError: false,
  });
  app.useGlobalFilters(new ErrorFilter());
  app.enableShutdownHooks([]);
  await app.listen(0, '127.0.0.1');
  // The server never closes idle connections. If it did so after 5 s, a test that was busy for 5 s could send its next
  // request on a closing connection.
  Object.assign(app.getHttpServer(), { keepAliveTimeout: 0 });
  const url = await app.getUrl();
  const orgId = givenOrg ?? (await createOrganization(app, 'Test organization'));
  const adminToken = await createToken(app, orgId, 'admin');
  const as = (token: string | null): Call => caller(url, token);
  return {
    app,
    url,
    database,
    clock,
    orgId,
    adminToken,
    call: as(adminToken),
    as,
    async addOrganization(name = `Organization ${randomUUID()}`) {
      const id = await createOrganization(app, name);
      const token = await createToken(app, id, 'admin');
      return { orgId: id, token, call: as(token) };
    },
    async addToken(role, userId) {
      const token = await createToken(app, orgId, role, userId);
      return { token, call: as(token) };
    },
    async close() {
      await app.close();
      if (!testDatabase) await database.drop();
    },
  };
}

/**
 * Adds controllers to a library of the composition. Changes the library in place, because Nest identifies modules by
 * reference.
 */
function addControllers({ imports = [] }: DynamicModule, controllers: readonly Type[]): void {
  const policy = imports.find(each => 'module' in each && each.module === PolicyModule);
  if (policy && 'module' in policy) policy.controllers = [...(policy.controllers ?? []), ...controllers];
}

function caller(url: string, token: string | null): Call {
  return async (method, path, body, headers = {}) => {
    const isText = typeof body === 'string' || body instanceof Uint8Array;
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined || isText ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isText ? (body as string) : JSON.stringify(body) }),
    });
    const text = await readText(response);
    const isJson = /[/+]json/.test(response.headers.get('content-type') ?? '');
    const parsed: unknown = isJson && text !== '' ? JSON.parse(text) : null;
    return { status: response.status, headers: response.headers, body: parsed, text };
  };
}

/** Reads the body. Returns an empty text for a stream of events, which does not end. */
async function readText(response: Response): Promise<string> {
  if (!(response.headers.get('content-type') ?? '').startsWith('text/event-stream')) return response.text();
  await response.body?.cancel();
  return '';
}
