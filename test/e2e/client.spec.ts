import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiError, createClient, iterate, type Client } from 'nest-llm-governance/client';
import {
  connect,
  everybody,
  mayCall,
  nameOfPolicy,
} from '../../apps/examples/docs-snippets/src/client/governance-client.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

describe('the client', () => {
  let app: TestApp;
  let client: Client;

  beforeAll(async () => {
    app = await startTestApp();
    client = createClient({ baseUrl: `${app.url}/`, token: app.adminToken });
  });
  afterAll(() => app?.close());

  it('sends parameters in path, query and body, and reads answers', async () => {
    const created = await client.createPolicy({ body: { name: 'No o3', model: 'o3*', action: 'block' } });
    expect(await client.getPolicy({ id: created.id })).toMatchObject({ name: 'No o3', action: 'block' });
    expect((await client.listPolicies({ limit: 1 })).items).toHaveLength(1);
    expect(await client.deletePolicy({ id: created.id })).toBeUndefined();
  });

  it('returns text as text', async () => {
    const report = await client.queryUsage({ start_date: '2026-11-01', end_date: '2026-11-02', accept: 'text/csv' });
    expect(report).toContain('estimated_cost_usd');
  });

  it('sends text with its content type', async () => {
    const { id } = await client.createUser({ body: { email: `${randomUUID()}@example.com`, name: 'Ada' } });
    const event = { ...{ user_id: id, provider: 'openai', model: 'gpt-4o', input_tokens: 1, output_tokens: 1 } };
    const lines = [1, 2].map(n => JSON.stringify({ ...event, id: `line-${n}`, occurred_at: '2026-11-20T11:00:00Z' }));
    expect(await client.reportUsage({ body: lines.join('\n') })).toMatchObject({ accepted: 2, rejected: [] });
  });

  it('streams events through the answer', async () => {
    const leaving = new AbortController();
    const answer = await client.streamIncidents({}, { signal: leaving.signal });
    expect(answer.headers.get('content-type')).toContain('text/event-stream');
    leaving.abort();
  });

  it('throws the error body of the service', async () => {
    const failed: unknown = await client.createPolicy({ body: { name: '', action: 'block' } }).catch(error => error);
    expect(failed).toBeInstanceOf(ApiError);
    expect(failed).toMatchObject({
      status: 400,
      code: 'bad_request',
      details: [{ field: 'name' }],
      requestId: expect.any(String),
    });
  });

  it('refuses a path without its parameter, because that would be another operation', async () => {
    for (const id of ['', '.', '..']) await expect(client.deletePolicy({ id })).rejects.toThrow('id is missing');
    // A program in plain JavaScript, without types.
    await expect(client.getPolicy({} as { id: string })).rejects.toThrow('getPolicy: id is missing');
  });

  it('calls the token function before each request', async () => {
    const tokens = [app.adminToken, 'wrong'];
    const renewed = createClient({ baseUrl: app.url, token: async () => tokens.shift() ?? '' });
    await renewed.getOrganization();
    await expect(renewed.getOrganization()).rejects.toMatchObject({ code: 'unauthorized' });
  });

  it('iterates over all pages of a list', async () => {
    const other = await app.addOrganization();
    const theirs = createClient({ baseUrl: app.url, token: other.token });
    const names = ['a', 'b', 'c', 'd', 'e'];
    for (const name of names) await theirs.createPolicy({ body: { name, action: 'alert' } });
    const found: string[] = [];
    for await (const { name } of iterate(theirs.listPolicies, { limit: 2 })) found.push(name);
    expect(found.toSorted()).toEqual(names);
  });

  it('works as the page shows', async () => {
    const { token } = await app.addOrganization();
    const shown = connect(app.url, () => Promise.resolve(token));
    await shown.createUser({ body: { email: 'ada@example.com', name: 'Ada' } });
    expect(await everybody(shown)).toEqual(['ada@example.com']);
    expect([await mayCall(shown, 'ada@example.com', 'k1'), await mayCall(shown, 'ada@example.com', 'k1')]).toEqual([
      true,
      true,
    ]);
    expect((await shown.listDecisions()).items).toHaveLength(1);
    expect(await nameOfPolicy(shown, randomUUID())).toBeUndefined();
  });
});

describe('the client of a busy service', () => {
  let server: Server;
  let requests: IncomingMessage[] = [];
  let answers: { status: number; wait?: string; body?: string }[] = [];
  let client: Client;

  beforeAll(async () => {
    server = createServer((request, response) => {
      requests.push(request);
      request.resume();
      const { status, wait, body = '{}' } = answers.shift() ?? { status: 200 };
      response.writeHead(status, { 'content-type': 'application/json', ...(wait ? { 'retry-after': wait } : {}) });
      response.end(body);
    }).listen(0, '127.0.0.1');
    await new Promise(resolve => server.once('listening', resolve));
    client = createClient({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  });
  afterEach(() => {
    requests = [];
    answers = [];
  });
  afterAll(() => new Promise(resolve => server.close(resolve)));

  const decision = { user_email: 'ada@example.com', provider: 'openai', model: 'gpt-4o' };
  const busy = { status: 503, wait: '0' };

  it('retries any request after 429 with Retry-After, twice by default', async () => {
    answers = [{ status: 429, wait: '0' }, { status: 429, wait: '0' }, { status: 200 }];
    await client.createPolicy({ body: { name: 'a', action: 'block' } });
    expect(requests).toHaveLength(3);
    answers = Array.from({ length: 3 }, () => ({ status: 429, wait: '0' }));
    await expect(client.createPolicy({ body: { name: 'a', action: 'block' } })).rejects.toMatchObject({ status: 429 });
    expect(requests).toHaveLength(6);
  });

  it.each([
    ['a read', 2, () => client.listPolicies()],
    ['a decision with a key', 2, () => client.decide({ body: { ...decision, idempotency_key: 'k' } })],
    ['a report of usage', 2, () => client.reportUsage({ body: { events: [] } })],
    ['a decision without a key', 1, () => client.decide({ body: decision })],
    ['the creation of an object', 1, () => client.createPolicy({ body: { name: 'a', action: 'block' } })],
  ])('sends %s %i time(s) if the answer is 503', async (_, times, ask) => {
    answers = [busy];
    await ask().catch(() => undefined);
    expect(requests).toHaveLength(times);
  });

  it('does not retry if the answer names no delay, or a delay that is too long', async () => {
    for (const answer of [{ status: 503 }, { status: 429 }, { status: 429, wait: '31' }]) {
      answers = [answer];
      await expect(client.listPolicies()).rejects.toMatchObject({ status: answer.status });
    }
    expect(requests).toHaveLength(3);
  });

  it('ends its delay when the signal aborts', async () => {
    answers = [{ status: 429, wait: '20' }];
    const leaving = new AbortController();
    const asking = client.listPolicies({}, { signal: leaving.signal });
    server.once('request', () => setImmediate(() => leaving.abort(new Error('left'))));
    await expect(asking).rejects.toThrow('left');
    expect(requests).toHaveLength(1);
  });

  it("reports an answer that is not the service's", async () => {
    answers = [{ status: 502, body: '<html>Bad gateway</html>' }];
    await expect(client.listPolicies()).rejects.toMatchObject({ status: 502, code: undefined, details: [] });
  });
});
