import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { INestApplication } from '@nestjs/common';
import { createShop } from '../../apps/examples/express-host/src/shop.js';
import { createGateway } from '../../apps/examples/fastify-host/src/gateway.js';
import { createOrganization, createToken } from '../support/seed.js';
import { createTestDatabase, type TestDatabase } from '../support/test-postgres.js';
import { openStream } from './incidents.support.js';

const KEYS = `k1:${Buffer.alloc(32, 9).toString('base64')}`;

interface Host {
  app: INestApplication;
  database: TestDatabase;
  url: string;
  token: string;
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
  close(): Promise<void>;
}

interface Reply {
  status: number;
  headers: Headers;
  body: unknown;
}

async function start(create: (database: TestDatabase) => Promise<INestApplication>): Promise<Host> {
  const database = await createTestDatabase();
  const app = await create(database);
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();
  const token = await createToken(app, await createOrganization(app, 'Embedded'), 'admin');
  return {
    app,
    database,
    url,
    token,
    async send(method, path, body, headers = {}) {
      const isText = typeof body === 'string';
      const response = await fetch(url + path, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
        ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, headers: response.headers, body: parsed(text) };
    },
    async close() {
      await app.close();
      await database.drop();
    },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function startShop(): Promise<Host> {
  return start(database => {
    process.env['DATABASE_URL'] = database.url;
    process.env['GOVERNANCE_KEYS'] = KEYS;
    return createShop();
  });
}

function startGateway(): Promise<Host> {
  return start(database => createGateway({ databaseUrl: database.url, governanceKeys: KEYS }));
}

const HOSTS = { Express: startShop, Fastify: startGateway };
const environment = { ...process.env };

describe.each(Object.entries(HOSTS))('a host on %s', (platform, startHost) => {
  let host: Host;

  beforeAll(async () => {
    host = await startHost();
  });

  afterAll(async () => {
    await host.close();
    process.env = environment;
  });

  it('answers decisions under the prefix', async () => {
    const user = await host.send('POST', '/governance/v1/users', {
      email: 'ada@example.com',
      name: 'Ada',
      department: 'engineering',
    });
    expect(user).toMatchObject({ status: 201, body: { email: 'ada@example.com' } });
    const policy = {
      name: 'No GPT-4',
      model: 'gpt-4*',
      action: 'block',
      conditions: { department: { in: ['engineering'] } },
    };
    expect(await host.send('POST', '/governance/v1/policies', policy)).toMatchObject({ status: 201 });
    const asked = { user_email: 'ada@example.com', provider: 'openai', model: 'gpt-4' };
    expect(await host.send('POST', '/governance/v1/decisions', asked)).toMatchObject({
      status: 200,
      body: { action: 'block', allowed: false, reason: 'policy', policies: [{ name: 'No GPT-4' }] },
    });
    expect(await host.send('POST', '/governance/v1/decisions', { ...asked, model: 'claude' })).toMatchObject({
      status: 200,
      body: { action: 'allow', allowed: true, reason: 'no_policy_matched' },
    });
  });

  it('streams the incident of a refusal, and answers with the common error body', async () => {
    const stream = await openStream(`${host.url}/governance`, host.token, { query: '?after=0' });
    expect(stream.status).toBe(200);
    expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(stream.headers.get('x-request-id')).toMatch(/\w/);
    expect(await stream.changes(1)).toMatchObject([{ data: { model: 'gpt-4', status: 'open' } }]);
    stream.close();
    expect(
      await host.send('GET', '/governance/v1/incidents/stream', undefined, { 'last-event-id': 'x' }),
    ).toMatchObject({
      status: 400,
      body: { error: 'bad_request', request_id: expect.any(String) },
    });
  });

  it('has no governance route outside the prefix', async () => {
    const routes = ['/v1/policies', '/v1/users', '/v1/usage', '/v1/tokens', '/health/live', '/openapi.json'];
    for (const route of routes) expect(await host.send('GET', route)).toMatchObject({ status: 404 });
  });

  it('answers errors of governance’s routes with governance’s error body', async () => {
    const refused = await host.send('POST', '/governance/v1/policies', { name: 'x', model: null, action: 'shout' });
    expect(refused).toMatchObject({ status: 400, body: { error: 'bad_request', details: [{ field: 'action' }] } });
    const stranger = await host.send('GET', '/governance/v1/policies', undefined, { authorization: 'Bearer nonsense' });
    expect(stranger).toMatchObject({ status: 401, body: { error: 'unauthorized' } });
  });

  it('refuses unreadable bodies, with the error of the parser', async () => {
    expect(await host.send('POST', '/governance/v1/policies', '{"name":')).toMatchObject({ status: 400 });
    const unknown = { 'content-type': 'text/x-unknown' };
    expect(await host.send('POST', '/governance/v1/policies', 'x', unknown)).toMatchObject({ status: 415 });
  });

  it("refuses duplicate keys in governance's routes, whichever parser is used", async () => {
    const twice = '{"name":"a","name":"b","model":null,"action":"allow"}';
    expect(await host.send('POST', '/governance/v1/policies', twice)).toMatchObject({
      status: 400,
      body: { error: 'bad_request' },
    });
  });

  it.each(['application/x-ndjson', 'application/json'])(
    'accepts a batch of usage of more than 1 MiB as %s',
    async type => {
      const events = Array.from({ length: 900 }, (_, i) => ({
        id: `${platform}-${type}-${i}`,
        user_email: 'ada@example.com',
        provider: 'openai',
        model: 'gpt-4o',
        occurred_at: new Date().toISOString(),
        input_tokens: 1,
        output_tokens: 1,
        metadata: { note: 'x'.repeat(1300) },
      }));
      const body =
        type === 'application/json' ? JSON.stringify({ events }) : events.map(e => JSON.stringify(e)).join('\n');
      const answer = await host.send('POST', '/governance/v1/usage/events', body, { 'content-type': type });
      expect(answer).toMatchObject({ status: 200, body: { accepted: 900, duplicates: 0, rejected: [] } });
    },
  );

  it('serves SCIM under the prefix, with its media type', async () => {
    const scim = (method: string, path: string, body?: object, headers?: Record<string, string>) =>
      host.send(method, `/governance/scim/v2${path}`, body, { 'content-type': 'application/scim+json', ...headers });
    const urn = 'urn:ietf:params:scim:schemas:core:2.0';
    const made = await scim('POST', '/Users', { schemas: [`${urn}:User`], userName: 'grace@example.com' });
    expect(made).toMatchObject({ status: 201, body: { userName: 'grace@example.com', active: true } });
    expect(made.headers.get('content-type')).toMatch(/^application\/scim\+json/);
    const { id, meta } = made.body as { id: string; meta: { location: string; version: string } };
    expect(meta.location).toBe(`${host.url}/governance/scim/v2/Users/${id}`);
    expect(made.headers.get('location')).toBe(meta.location);
    const known = await scim('GET', `/Users/${id}`, undefined, { 'if-none-match': meta.version });
    expect(known).toMatchObject({ status: 304, body: '' });
    const group = await scim('POST', '/Groups', { schemas: [`${urn}:Group`], displayName: 'Embedded' });
    const { id: groupId } = group.body as { id: string };
    const body = {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations: [{ op: 'Add', path: 'members', value: [{ value: id }] }],
    };
    expect(await scim('PATCH', `/Groups/${groupId}`, body)).toMatchObject({ status: 204, body: '' });
    expect(await scim('DELETE', `/Groups/${groupId}`)).toMatchObject({ status: 204, body: '' });
    const filter = encodeURIComponent('userName eq "GRACE@example.com"');
    expect(await scim('GET', `/Users?filter=${filter}&unknown=1`)).toMatchObject({
      status: 200,
      body: { totalResults: 1 },
    });
    for (const [method, path, status] of [
      ['GET', '/Users?filter=x', 400],
      ['GET', '/Groups/none', 404],
      ['GET', '/nothing/at/all', 404],
      ['POST', '/Bulk', 501],
    ] as const) {
      const refused = await scim(method, path, method === 'POST' ? {} : undefined);
      expect({ path, refused }).toMatchObject({ path, refused: { status, body: { status: String(status) } } });
      expect(refused.headers.get('content-type')).toMatch(/^application\/scim\+json/);
    }
  });

  it('accepts CloudEvents batches', async () => {
    const answer = await host.send('POST', '/governance/v1/usage/events', '[]', {
      'content-type': 'application/cloudevents-batch+json',
    });
    expect(answer.status).not.toBe(415);
  });
});

describe('a host with its own MikroORM, pipe and error bodies', () => {
  let shop: Host;

  beforeAll(async () => {
    shop = await startShop();
  });

  afterAll(async () => {
    await shop.close();
    process.env = environment;
  });

  it('keeps its error body on its own routes and on unknown routes', async () => {
    expect(await shop.send('GET', '/nowhere')).toMatchObject({ status: 404, body: { shop: 'sorry', status: 404 } });
    expect(await shop.send('GET', '/users/none@example.com')).toMatchObject({ status: 404, body: { shop: 'sorry' } });
    expect(await shop.send('POST', '/users', { email: 'no' })).toMatchObject({ status: 400, body: { shop: 'sorry' } });
  });

  it('answers its own routes without a credential of governance, and without its headers', async () => {
    const answer = await shop.send('GET', '/nowhere', undefined, { authorization: 'none' });
    expect(answer.headers.get('x-request-id')).toBeNull();
    expect(answer.headers.get('ratelimit')).toBeNull();
  });

  it('keeps its own pipe, which drops unknown fields that governance would refuse', async () => {
    const signUp = { email: 'bob@example.com', nickname: 'bob', colour: 'red' };
    expect(await shop.send('POST', '/users', signUp)).toMatchObject({ status: 201, body: { nickname: 'bob' } });
    expect(await shop.send('GET', '/users/bob@example.com')).toMatchObject({ status: 200, body: { nickname: 'bob' } });
  });

  it.each([
    ['POST', '/governance/v1/policies', { name: 'Unknown field', model: null, action: 'allow', colour: 'red' }],
    ['POST', '/governance/v1/users', { name: 'Bob', email: 'bob@example.com', colour: 'red' }],
    ['POST', '/governance/v1/tokens', { name: 'gateway', role: 'agent', colour: 'red' }],
    ['GET', '/governance/v1/users?colour=red', undefined],
  ])(
    'does not drop unknown fields of governance’s routes by its pipe, but refuses them: %s %s',
    async (method, path, body) => {
      expect(await shop.send(method, path, body)).toMatchObject({
        status: 400,
        body: { error: 'bad_request', details: [{ field: 'colour' }] },
      });
    },
  );

  it('keeps its User separate from governance’s User', async () => {
    await shop.send('POST', '/users', { email: 'eve@example.com', nickname: 'eve' });
    await shop.send('POST', '/governance/v1/users', { email: 'mallory@example.com', name: 'Mallory' });
    const ours = await shop.database.asOwner<{ email: string }>('select email from governance.users order by email');
    const theirs = await shop.database.asOwner<{ email: string }>('select email from shop.users order by email');
    expect(ours.map(row => row.email)).toEqual(['mallory@example.com']);
    expect(theirs.map(row => row.email)).toEqual(expect.arrayContaining(['eve@example.com']));
  });

  it('works with its own role, not with governance’s', async () => {
    const connections = await shop.database.asOwner<{ name: string }>(
      `select distinct application_name as name from pg_stat_activity where datname = current_database()`,
    );
    expect(connections.map(row => row.name)).toEqual(expect.arrayContaining(['nest-llm-governance', '']));
  });
});
