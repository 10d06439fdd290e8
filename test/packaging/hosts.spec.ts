import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '../support/test-postgres.js';
import { run, type PackedHost } from './packed-host.js';
import { compileHosts, exchange, installHosts, request, startHost, type HostProcess } from './packed-hosts.js';

const KEYS = `k1:${Buffer.alloc(32, 5).toString('base64')}`;
const JSON_TYPE = { 'content-type': 'application/json' };
const SESSION = { 'x-session': 'ada' };

/** Declarations of another package that do not compile, because `Temporal` is not in ES2023. */
const ELSEWHERE = /node_modules\/postgres-interval\/index\.d\.ts/;

/** Headers with times, which differ between two runs of a host. */
const TIMES = /^(date|x-ratelimit-reset|retry-after): .*\r\n/gim;

/** Every kind of the store's answers, with its request. */
const STORE_ANSWERS: Record<string, string> = {
  'public list': request('GET', '/api/v1/orders'),
  'one of many': request('GET', '/api/v1/orders/7', SESSION),
  'only headers': request('HEAD', '/api/v1/orders/7', SESSION),
  created: request('POST', '/api/v1/orders/customers', { ...SESSION, ...JSON_TYPE }, '{"nickname":"Ada"}'),
  'nothing left': request('DELETE', '/api/v1/orders/7', SESSION),
  moved: request('GET', '/api/v1/orders/moved', SESSION),
  'a file': request('GET', '/api/v1/orders/file', SESSION),
  'preflight of CORS': request('OPTIONS', '/api/v1/orders', { origin: 'https://store.example' }),
  '400 of the pipe': request('POST', '/api/v1/orders/customers', { ...SESSION, ...JSON_TYPE }, '{"nick":"Ada"}'),
  '400 of the parser': request('POST', '/api/v1/orders/customers', { ...SESSION, ...JSON_TYPE }, '{"nickname":'),
  '400 of a parameter': request('GET', '/api/v1/orders/seven', SESSION),
  '401 of the guard': request('GET', '/api/v1/orders/8'),
  '404 of a handler': request('GET', '/api/v1/orders/101', SESSION),
  '404 of no route': request('GET', '/api/v1/nowhere', SESSION),
  '404 of another version': request('GET', '/api/v2/orders', SESSION),
  '413 of the parser': request('POST', '/api/v1/orders/book', { ...SESSION, ...JSON_TYPE }, `"${'x'.repeat(200_000)}"`),
  '429 of the throttler': request('GET', '/api/v1/orders/9', SESSION),
  '500 of a handler': request('GET', '/api/v1/orders/failing', SESSION),
};

const GATEWAY_ANSWERS: Record<string, string> = {
  list: request('GET', '/bookings'),
  'only headers': request('HEAD', '/bookings'),
  created: request('POST', '/bookings/echo', JSON_TYPE, '{"a":1}'),
  form: request('POST', '/bookings/echo', { 'content-type': 'application/x-www-form-urlencoded' }, 'a=1'),
  '400 of the parser': request('POST', '/bookings/echo', JSON_TYPE, '{"a":'),
  '404 of no route': request('GET', '/nowhere'),
  '413 of the parser': request('POST', '/bookings/echo', JSON_TYPE, `{"a":"${'x'.repeat(1_100_000)}"}`),
  '415 of no parser': request('POST', '/bookings/echo', { 'content-type': 'image/png' }, 'png'),
  '418 of a handler': request('GET', '/bookings/teapot'),
  '500 of a handler': request('GET', '/bookings/failing'),
};

const METER_ANSWERS: Record<string, string> = {
  health: request('GET', '/health'),
  '404 of no route': request('GET', '/nowhere'),
  '404 of another method': request('POST', '/health', JSON_TYPE, '{}'),
};

let packed: PackedHost;
let compiled: { status: number; output: string };
const running: HostProcess[] = [];
const databases: TestDatabase[] = [];

beforeAll(async () => {
  packed = await installHosts();
  compiled = await compileHosts(packed);
}, 300_000);

afterAll(async () => {
  for (const host of running) await host.end();
  for (const database of databases) await database.drop();
  packed?.remove();
});

interface Pair {
  readonly database: TestDatabase;
  readonly alone: HostProcess;
  readonly governed: HostProcess;
}

/** Starts the same host without and with governance, each with a separate database. */
async function startPair(name: string): Promise<Pair> {
  const start = async (governed: string): Promise<[TestDatabase, HostProcess]> => {
    const database = await createTestDatabase();
    databases.push(database);
    const env = { DATABASE_URL: database.url, GOVERNANCE_KEYS: KEYS, GOVERNED: governed };
    const host = await startHost(packed, name, env);
    running.push(host);
    return [database, host];
  };
  const [[, alone], [database, governed]] = await Promise.all([start('no'), start('yes')]);
  return { database, alone, governed };
}

async function answersOf({ ready }: HostProcess, requests: Record<string, string>): Promise<Record<string, string>> {
  const answers: Record<string, string> = {};
  for (const [kind, text] of Object.entries(requests)) {
    answers[kind] = (await exchange(ready.url, text)).replaceAll(TIMES, '');
  }
  return answers;
}

interface Called {
  readonly status: number;
  readonly body: any; // oxlint-disable-line typescript/no-explicit-any -- tests read deep into bodies; expectations are the check
}

/** Calls a host and reads its JSON. */
async function call(url: string, headers: Record<string, string>, body?: object): Promise<Called> {
  const given = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const answer = await fetch(url, { ...given, headers: { ...JSON_TYPE, ...headers } });
  const text = await answer.text();
  return {
    status: answer.status,
    body: answer.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text,
  };
}

const bearer = ({ ready }: HostProcess): Record<string, string> => ({
  authorization: `Bearer ${String(ready['token'])}`,
});

describe('the hosts', () => {
  it("compile with the package's types, which are checked like their own", () => {
    const faults = compiled.output.split('\n').filter(line => line.includes('error TS'));
    expect(faults.filter(line => !ELSEWHERE.test(line))).toEqual([]);
  });
});

describe('the store: Express, ES modules, globals, and its own MikroORM', () => {
  let store: Pair;

  beforeAll(async () => {
    store = await startPair('store');
  });

  it('answers every kind of request byte for byte as without governance', async () => {
    const alone = await answersOf(store.alone, STORE_ANSWERS);
    expect(Object.keys(alone).length).toBeGreaterThanOrEqual(15);
    expect(await answersOf(store.governed, STORE_ANSWERS)).toEqual(alone);
    const statuses = Object.entries(alone).map(([kind, answer]) => [kind, Number(answer.slice(9, 12))]);
    expect(Object.fromEntries(statuses)).toMatchObject({
      ...{ 'public list': 200, created: 201, 'nothing left': 204, moved: 301, '400 of the pipe': 400 },
      ...{ '401 of the guard': 401, '404 of no route': 404, '413 of the parser': 413, '429 of the throttler': 429 },
      '500 of a handler': 500,
    });
  });

  it('does not apply its guard, throttler and envelope to our routes', async () => {
    const { url } = store.governed.ready;
    for (let count = 0; count < 8; count++) {
      const { status, body } = await call(`${url}/api/governance/v1/policies`, bearer(store.governed));
      expect([status, body.items]).toEqual([200, []]);
    }
    const csv = await call(`${url}/api/governance/v1/usage`, { ...bearer(store.governed), accept: 'text/csv' });
    expect(csv.body).toMatch(/^period,user_id,/);
  });

  it('has its own OpenAPI document and schemas, and our jobs in its scheduler registry', () => {
    const { document, schemas, jobs } = store.governed.ready;
    expect(document).toEqual(store.alone.ready['document']);
    expect(schemas).toEqual(expect.arrayContaining(['CreateUserDto', 'GovernanceCreateUserDto']));
    expect(jobs).toContain('governance:reservation-expiry');
  });

  it('decides in a transaction of its MikroORM, and rolls it back', async () => {
    const { url, orgId } = store.governed.ready;
    const governance = `${url}/api/governance`;
    const policy = { name: 'Watch', action: 'alert' };
    expect((await call(`${governance}/v1/policies`, bearer(store.governed), policy)).status).toBe(201);
    const person = { email: 'ada@store.example', name: 'Ada' };
    expect((await call(`${governance}/v1/users`, bearer(store.governed), person)).status).toBe(201);
    const book = (id: string) => call(`${url}/api/v1/orders/book`, SESSION, { orgId, email: person.email, id });
    const { body } = await book('o1');
    const decision = `${governance}/v1/decisions/${body.data.decision}`;
    expect(await call(decision, bearer(store.governed))).toMatchObject({ status: 200, body: { action: 'alert' } });
    await store.database.asOwner('insert into orders (id) values ($1)', ['o2']);
    expect((await book('o2')).status).toBe(500);
    const { body: list } = await call(`${governance}/v1/decisions`, bearer(store.governed));
    expect(list.items).toHaveLength(1);
    const { body: incidents } = await call(`${governance}/v1/incidents`, bearer(store.governed));
    expect(incidents.items).toMatchObject([{ occurrences: 1 }]);
  });

  it('names misspelt factory options and missing variables, and does not start', async () => {
    const extra = JSON.stringify({ outbox: { wrokers: false } });
    const env = { DATABASE_URL: store.database.url, GOVERNED: 'yes', EXTRA: extra };
    const start = startHost(packed, 'store', env);
    await expect(start).rejects.toThrow(/- keys: /);
    await expect(start).rejects.toThrow(/- outbox\.wrokers: .*workers/);
  });
});

describe('the gateway: Fastify, CommonJS, and raw pg', () => {
  let gateway: Pair;

  beforeAll(async () => {
    gateway = await startPair('gateway');
  });

  it('answers every kind of request byte for byte as without governance', async () => {
    const alone = await answersOf(gateway.alone, GATEWAY_ANSWERS);
    expect(await answersOf(gateway.governed, GATEWAY_ANSWERS)).toEqual(alone);
    expect(Number(alone['415 of no parser']?.slice(9, 12))).toBe(415);
  });

  it('accepts its sessions and our tokens', async () => {
    const { url } = gateway.governed.ready;
    const made = await call(`${url}/v1/tokens`, SESSION, { name: 'CI', role: 'agent' });
    expect(made.status).toBe(201);
    const token = { authorization: `Bearer ${made.body.token}` };
    const asked = { user_email: 'nobody@gateway.example', provider: 'openai', model: 'gpt-4o' };
    expect(await call(`${url}/v1/decisions`, token, asked)).toMatchObject({ body: { reason: 'unknown_user' } });
    expect((await call(`${url}/v1/policies`, {})).status).toBe(401);
  });

  it('decides in a transaction of pg, and rolls it back', async () => {
    const { url } = gateway.governed.ready;
    await call(`${url}/v1/policies`, SESSION, { name: 'Watch', action: 'alert' });
    const email = 'bob@gateway.example';
    expect((await call(`${url}/v1/users`, SESSION, { email, name: 'Bob' })).status).toBe(201);
    const { body } = await call(`${url}/bookings`, {}, { email, id: 'b1' });
    expect((await call(`${url}/v1/decisions/${body.decision}`, SESSION)).status).toBe(200);
    await gateway.database.asOwner('insert into bookings (id) values ($1)', ['b2']);
    expect((await call(`${url}/bookings`, {}, { email, id: 'b2' })).status).toBe(500);
    const { body: list } = await call(`${url}/v1/decisions?action=alert`, SESSION);
    expect(list.items).toHaveLength(1);
  });

  it('streams to our callers although its interceptor wraps every answer in an object', async () => {
    const { url } = gateway.governed.ready;
    expect((await call(`${url}/v1/policies`, SESSION)).body).toMatchObject({ served_by: 'gateway' });
    const csv = await call(`${url}/v1/usage`, { ...SESSION, accept: 'text/csv' });
    expect([csv.status, csv.body]).toEqual([200, expect.stringMatching(/^period,user_id,/)]);
    const stream = await fetch(`${url}/v1/incidents/stream`, { headers: SESSION });
    const first = await stream.body?.getReader().read();
    expect(Buffer.from(first?.value ?? []).toString()).toContain('event: ready');
  });

  it('refuses to start if a table is missing, and says what to do', async () => {
    await gateway.database.asOwner('drop table governance.budgets cascade');
    const env = { DATABASE_URL: gateway.database.url, GOVERNANCE_KEYS: KEYS, GOVERNED: 'yes' };
    const start = startHost(packed, 'gateway', env);
    await expect(start).rejects.toThrow(/missing tables: budgets.*Restore the schema from a backup/);
  });
});

describe('a test of the gateway', () => {
  it('decides without a database', async () => {
    const { output } = await run(
      process.execPath,
      ['--no-warnings', 'dist/gateway/without-database.js'],
      packed.folder,
    );
    expect(output).toBe('no_policy_matched\n');
  });
});

describe('the host "meter", with only policies and usage, its own users, and the driver pg', () => {
  let meter: Pair;

  beforeAll(async () => {
    meter = await startPair('meter');
  });

  it('answers every kind of its requests byte for byte as without governance', async () => {
    expect(await answersOf(meter.governed, METER_ANSWERS)).toEqual(await answersOf(meter.alone, METER_ANSWERS));
  });

  it('decides about its own people and counts their usage', async () => {
    const { url } = meter.governed.ready;
    const [person] = await meter.database.asOwner<{ id: string }>(
      `insert into people values (gen_random_uuid(), 'eve@meter.example', 'Eve') returning id`,
    );
    const asked = { user_email: 'eve@meter.example', provider: 'openai', model: 'gpt-4o' };
    const decision = await call(`${url}/v1/decisions`, bearer(meter.governed), asked);
    expect(decision.body).toMatchObject({ allowed: true });
    const tokens = { occurred_at: new Date().toISOString(), input_tokens: 1, output_tokens: 1 };
    const events = [{ id: 'e1', ...asked, ...tokens }];
    expect((await call(`${url}/v1/usage/events`, bearer(meter.governed), { events })).body.accepted).toBe(1);
    const report = await call(`${url}/v1/usage`, bearer(meter.governed));
    expect(report.body.items).toMatchObject([{ user_id: person?.id }]);
  });

  it('decides and reports usage in a transaction of pg, and rolls it back', async () => {
    const { url, orgId } = meter.governed.ready;
    const email = 'eve@meter.example';
    const { body } = await call(`${url}/calls`, {}, { orgId, email, id: 'c1' });
    expect(body).toMatchObject({ accepted: 1 });
    expect((await call(`${url}/v1/decisions/${body.decision}`, bearer(meter.governed))).status).toBe(200);
    const requests = async (): Promise<unknown> =>
      (await call(`${url}/v1/usage`, bearer(meter.governed))).body.items.map(
        (item: { total_requests: number }) => item.total_requests,
      );
    expect(await requests()).toEqual([2]);
    await meter.database.asOwner('insert into calls (id) values ($1)', ['c2']);
    expect((await call(`${url}/calls`, {}, { orgId, email, id: 'c2' })).status).toBe(500);
    expect(await requests()).toEqual([2]);
  });

  it('gets an error for an organization that does not exist, and stores nothing', async () => {
    const unknown = { orgId: '0199c2a8-0000-7000-8000-000000000000', email: 'eve@meter.example', id: 'c3' };
    const { status, body } = await call(`${meter.governed.ready.url}/calls`, {}, unknown);
    expect([status, body.message]).toEqual([404, expect.stringContaining(unknown.orgId)]);
    expect(await meter.database.asOwner('select from calls where id = $1', ['c3'])).toEqual([]);
  });

  it('shares its directory of people with governance', () => {
    expect(meter.governed.ready['directories']).toBe(1);
  });

  it('has no route, path, job or table of another library', async () => {
    const { url, paths, jobs } = meter.governed.ready;
    for (const path of ['/v1/users', '/v1/webhooks', '/v1/devices', '/v1/itsm/kinds', '/scim/v2/Users']) {
      expect((await call(url + path, bearer(meter.governed))).status).toBe(404);
      expect(paths).not.toContain(path);
    }
    expect(jobs).not.toContain('governance:audit-anchors');
    const tables = await meter.database.asOwner(
      `select relname from pg_class where relnamespace = 'governance'::regnamespace and relkind in ('r', 'p')
       and relname ~ 'webhook|ticket|device|scim|connector'`,
    );
    expect(tables).toEqual([]);
  });

  /**
   * Expects that the host's own job has run, and at most once a second. With a second scheduler it would run twice a
   * second.
   */
  async function expectOneHeartbeatJob({ ready }: HostProcess): Promise<void> {
    const state = async (): Promise<Called['body']> => (await call(`${ready.url}/health/beats`, {})).body;
    while ((await state()).seconds < 3.5) await new Promise(done => setTimeout(done, 200));
    const { beats, seconds } = await state();
    expect(beats).toBeGreaterThan(0);
    expect(beats).toBeLessThanOrEqual(Math.floor(seconds) + 1);
  }

  it('gets the routes and tables of a library that it adds later, next to a replica without it, and each runs its own job once', async () => {
    const env = { DATABASE_URL: meter.database.url, GOVERNANCE_KEYS: KEYS, GOVERNED: 'with webhooks' };
    const later = await startHost(packed, 'meter', env);
    try {
      const { url } = later.ready;
      expect((await call(`${url}/v1/webhooks`, bearer(meter.governed))).body.items).toEqual([]);
      expect((await call(`${url}/v1/usage`, bearer(meter.governed))).body.items).toHaveLength(1);
      expect((await call(`${url}/v1/users`, bearer(meter.governed))).status).toBe(404);
      for (const replica of [meter.governed, later]) await expectOneHeartbeatJob(replica);
    } finally {
      await later.end();
    }
  });

  it('has its schema removed by the packed command', async () => {
    await meter.governed.end();

    const cli = join(packed.installed, 'dist/apps/standalone/cli.js');
    const command = [
      `DATABASE_URL=${meter.database.url}`,
      `GOVERNANCE_KEYS=${KEYS}`,
      process.execPath,
      cli,
      'uninstall',
      '--yes',
    ];
    const { output } = await run('env', command, packed.folder);
    expect(output).toContain('removed schema governance');
    const left = `select to_regnamespace('governance') as schema, to_regclass('people')::text as people`;
    expect(await meter.database.asOwner(left)).toEqual([{ schema: null, people: 'people' }]);
  });
});
