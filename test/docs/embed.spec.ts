import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  Controller,
  type DynamicModule,
  type INestApplication,
  type INestApplicationContext,
  type Type,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { firstValueFrom, of } from 'rxjs';
import { Governance, GovernanceModule, GovernanceOperations, OrganizationService } from 'nest-llm-governance';
import { DecisionService } from 'nest-llm-governance/policy';
import { parseDateRange, UsageReportService } from 'nest-llm-governance/usage';
import { PUBLIC_SERVICES } from '../support/public-services.js';
import { EntitySchema, MikroORM } from '@mikro-orm/postgresql';
import { Orders } from '../../apps/examples/docs-snippets/src/orders.js';
import { Customers } from '../../apps/examples/docs-snippets/src/customers.js';
import { Completions, type Completion } from '../../apps/examples/docs-snippets/src/completions.js';
import { createIntranet } from '../../apps/examples/docs-snippets/src/intranet.js';
import { firstOrganization } from '../../apps/examples/docs-snippets/src/first-organization.js';
import { EnvelopeInterceptor } from '../../apps/examples/docs-snippets/src/envelope.interceptor.js';
import { MeteredModule } from '../../apps/examples/docs-snippets/src/metered.module.js';
import { HealthController } from '../../libs/governance/health/health.controller.js';
import { migrateGovernance } from '../../apps/examples/docs-snippets/src/migrate.js';
import { StoppedClock } from '../../apps/examples/docs-snippets/src/own-clock.js';
import { ORGANIZATION } from '../../apps/examples/docs-snippets/src/session.principals.js';
import { staffDirectoryContract } from '../../apps/examples/docs-snippets/src/staff.directory.contract.js';
import { Staff, type Person } from '../../apps/examples/docs-snippets/src/staff.js';
import { WorkerModule } from '../../apps/examples/docs-snippets/src/worker.module.js';
import { blocksOf } from './markdown.js';
import { createTestDatabase, type TestDatabase } from '../support/test-postgres.js';

const KEYS = `k1:${Buffer.alloc(32, 6).toString('base64')}`;
const ADA: Person = {
  id: '0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33',
  email: 'ada@example.com',
  name: 'Ada',
  team: 'Sales/EMEA',
  isAdmin: true,
  hasLeft: false,
};

describe('the intranet of docs/embed.md', () => {
  let database: TestDatabase;
  let app: INestApplication;
  let url: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    app = await createIntranet(database.url, KEYS);
    await app.listen(0, '127.0.0.1');
    url = await app.getUrl();
    await app.get(GovernanceOperations).ensureFirstOrganization({ id: ORGANIZATION });
    app.get(Staff).hire(ADA);
    app.get(Staff).signIn(ADA, 'session=ada');
  });

  afterAll(async () => {
    await app?.close();
    await database?.drop();
  });

  async function send(method: string, path: string, body?: unknown, cookie = 'session=ada') {
    const response = await fetch(url + path, {
      method,
      headers: { cookie, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  }

  const completion = (id: string, usage: Completion['usage']) => async (): Promise<Completion> => ({
    id,
    text: 'Hello',
    usage,
  });

  it('accepts only people who are signed in to the host', async () => {
    expect(await send('GET', '/governance/v1/policies')).toMatchObject({ status: 200 });
    expect(await send('GET', '/governance/v1/policies', undefined, 'session=none')).toMatchObject({ status: 401 });
  });

  it('answers errors with the error body of governance, also for its own unknown routes', async () => {
    expect(await send('GET', '/nowhere')).toMatchObject({ status: 404, body: { error: 'not_found' } });
  });

  it('serves the API reference and the document of the routes as they are mounted', async () => {
    expect((await fetch(`${url}/reference`)).status).toBe(200);
    const { body } = await send('GET', '/openapi.json');
    expect(Object.keys((body as { paths: object }).paths)).toContain('/governance/v1/policies');
  });

  it('answers its own health probe', async () => {
    expect(await send('GET', '/probes/ready')).toEqual({ status: 200, body: { status: 'ok' } });
  });

  it('creates the organization of a customer once', async () => {
    const customers = new Customers(app.get(Governance));
    const customer = { id: '0199c2a8-6b1e-7d10-8c52-1f0a7e9d4c00', name: 'Example Corp' };
    await customers.signUp(customer);
    await customers.signUp(customer);
    expect(await app.get(OrganizationService).get(customer.id)).toMatchObject({
      name: 'Example Corp',
      timeZone: 'Europe/Berlin',
    });
  });

  it('blocks by default, decides with its own users and operator, and reports at its own price', async () => {
    const completions = app.get(Completions);
    const call = completion('call-1', { prompt_tokens: 1200, completion_tokens: 300 });
    await expect(completions.complete(ORGANIZATION, ADA.email, call)).rejects.toThrow('no_policy_matched');

    const policy = { name: 'Sales may', action: 'allow', conditions: { department: { under: 'Sales' } } };
    expect(await send('POST', '/governance/v1/policies', policy)).toMatchObject({ status: 201 });
    expect(await completions.complete(ORGANIZATION, ADA.email, call)).toBe('Hello');

    const own = {
      id: 'call-2',
      user_id: ADA.id,
      provider: 'self-hosted',
      model: 'llama',
      occurred_at: new Date().toISOString(),
      input_tokens: 1_000_000,
      output_tokens: 0,
    };
    expect(await send('POST', '/governance/v1/usage/events', { events: [own] })).toMatchObject({
      body: { accepted: 1 },
    });
    const { body } = await send('GET', '/governance/v1/usage');
    expect(body).toMatchObject({
      items: expect.arrayContaining([
        expect.objectContaining({
          user_email: ADA.email,
          model: 'gpt-4o',
          total_input_tokens: 1200,
          unpriced_requests: 0,
        }),
        expect.objectContaining({ model: 'llama', estimated_cost_usd: 0.4 }),
      ]),
    });
  });

  it('stores usage and an order of the host in one transaction, or neither', async () => {
    const schema = new EntitySchema<{ id: number; note: string }>({
      name: 'Order',
      tableName: 'orders',
      properties: { id: { type: 'integer', primary: true }, note: { type: 'text' } },
    });
    const orm = await MikroORM.init({ clientUrl: database.url, entities: [schema] });
    try {
      await orm.em.getConnection().execute('create table orders (id integer primary key, note text not null)');
      const orders = new Orders(app.get(Governance), orm.em);
      const event = (id: string) => ({
        id,
        user_id: ADA.id,
        provider: 'self-hosted',
        model: 'llama',
        occurred_at: new Date().toISOString(),
        input_tokens: 1,
        output_tokens: 0,
      });
      const order = (id: number) => orm.em.fork().create(schema, { id, note: 'one call' }, { persist: false });
      await orders.finish(ORGANIZATION, order(1), event('order-1'));
      await expect(orders.finish(ORGANIZATION, order(1), event('order-2'))).rejects.toThrow('orders_pkey');
      const stored = async (id: string) => (await send('GET', `/governance/v1/usage/events/${id}`)).status;
      expect([await stored('order-1'), await stored('order-2')]).toEqual([200, 404]);
    } finally {
      await orm.close(true);
    }
  });

  it('calls its listener with the violation of a policy', async () => {
    const policy = { name: 'No art', action: 'block', model: 'painter' };
    expect(await send('POST', '/governance/v1/policies', policy)).toMatchObject({ status: 201 });
    const asked = { user_email: ADA.email, provider: 'openai', model: 'painter' };
    expect(await send('POST', '/governance/v1/decisions', asked)).toMatchObject({ body: { action: 'block' } });
    const until = performance.now() + 10_000;
    while (app.get(Staff).inboxOf(ADA.id).length === 0 && performance.now() < until) {
      await new Promise(done => setTimeout(done, 20));
    }
    expect(app.get(Staff).inboxOf(ADA.id)).toEqual(['A policy fired on painter, severity high.']);
  });

  it('refuses a policy whose operand its own operator does not accept', async () => {
    const policy = { name: 'Bad', action: 'allow', conditions: { department: { under: 7 } } };
    expect(await send('POST', '/governance/v1/policies', policy)).toMatchObject({
      status: 400,
      body: { details: [{ field: 'conditions.department.under', message: 'must be the name of a department' }] },
    });
  });

  it('refuses people who have left, even if a policy allows the request', async () => {
    app
      .get(Staff)
      .hire({ ...ADA, id: '0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b34', email: 'bob@example.com', hasLeft: true });
    const asked = { user_email: 'bob@example.com', provider: 'openai', model: 'gpt-4o' };
    expect(await send('POST', '/governance/v1/decisions', asked)).toMatchObject({ body: { reason: 'user_suspended' } });
  });
});

describe('the host of policies and usage alone of docs/embed.md', () => {
  it('decides about its own people', async () => {
    const database = await createTestDatabase();
    const app = await NestFactory.createApplicationContext(MeteredModule.with(database.url, KEYS), { logger: false });
    try {
      await app.get(GovernanceOperations, { strict: false }).ensureFirstOrganization({ id: ORGANIZATION });
      app.get(Staff, { strict: false }).hire(ADA);
      const request = { user_email: ADA.email, provider: 'openai', model: 'gpt-4o' };
      const decide = () => app.get(Governance, { strict: false }).decide(ORGANIZATION, request);
      expect(await decide()).toMatchObject({ allowed: true });
      app.get(Staff, { strict: false }).hire({ ...ADA, hasLeft: true });
      expect(await decide()).toMatchObject({ allowed: false, reason: 'user_suspended' });
    } finally {
      await app.close();
      await database.drop();
    }
  });
});

describe('the option errors of docs/embed.md', () => {
  it("are the module's error messages", async () => {
    const shown = blocksOf('docs/embed.md').find(({ code }) => code.startsWith('GovernanceModule cannot start'));
    const options = { useFactory: () => ({ database: { urll: 'postgres://127.0.0.1/shop' } }) };
    class Host {}
    const imports = [GovernanceModule.forRootAsync(options as never)];
    const start = NestFactory.createApplicationContext(
      { module: Host, imports },
      { logger: false, abortOnError: false },
    );
    await expect(start).rejects.toThrow(new Error(shown?.code.trim()));
  });
});

describe('the interceptor of docs/embed.md', () => {
  @Controller()
  class Ours {}

  const intercepted = (controller: Type<unknown>) => {
    const context = new ExecutionContextHost([], controller);
    return firstValueFrom(new EnvelopeInterceptor().intercept(context, { handle: () => of('answer') }));
  };

  it('does not change the routes of governance', async () => {
    expect(await intercepted(HealthController)).toBe('answer');
    expect(await intercepted(Ours)).toEqual({ data: 'answer' });
  });
});

describe('the directory of docs/embed.md', () => {
  it.each(staffDirectoryContract.map(({ title, run }) => [title, run] as const))('%s', (_title, run) => run());
});

const EVERY_SERVICE = Symbol('every service');

/** A module of a host that injects every public service. */
function hostOfEveryService(databaseUrl: string): DynamicModule {
  class Host {}
  const everything = { provide: EVERY_SERVICE, inject: [...PUBLIC_SERVICES], useFactory: (...all: unknown[]) => all };
  return { module: Host, imports: [WorkerModule.with(databaseUrl, KEYS)], providers: [everything] };
}

describe('the worker of docs/embed.md', () => {
  let database: TestDatabase;
  const started: INestApplicationContext[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
  });

  afterAll(async () => {
    for (const context of started) await context.close();
    await database?.drop();
  });

  const quiet = { logger: false, abortOnError: false } as const;

  it('refuses to start on a schema that is not migrated, and names the command', async () => {
    const start = NestFactory.createApplicationContext(WorkerModule.with(database.url, KEYS), quiet);
    await expect(start).rejects.toThrow(/npx nest-llm-governance migrate/);
  });

  it('starts once the deployment has migrated, and provides every public service', async () => {
    await migrateGovernance(database.url);
    const worker = await NestFactory.createApplicationContext(hostOfEveryService(database.url), quiet);
    started.push(worker);
    const services = worker.get<unknown[]>(EVERY_SERVICE);
    expect(services.map((service, at) => service instanceof PUBLIC_SERVICES[at]!)).not.toContain(false);
    const orgId = await firstOrganization(worker);
    expect(await firstOrganization(worker)).toBe(orgId);
    const page = await worker
      .get(UsageReportService)
      .page(orgId, { period: 'daily', range: parseDateRange(undefined, undefined) }, {}, row => row);
    expect(page).toMatchObject({ items: [], has_more: false });
  });

  it('takes the time from its own clock', async () => {
    const options = { controllers: false, clock: StoppedClock, database: { url: database.url }, keys: KEYS };
    const context = await NestFactory.createApplicationContext(GovernanceModule.forRoot(options), quiet);
    started.push(context);
    const { orgId } = await context.get(GovernanceOperations).ensureFirstOrganization({});
    const asked = { user_email: 'nobody@example.com', provider: 'openai', model: 'gpt-4o' };
    expect(await context.get(DecisionService).decide(orgId, asked)).toMatchObject({
      reason: 'unknown_user',
      evaluated_at: '2026-11-20T13:00:00.000Z',
    });
  });
});
