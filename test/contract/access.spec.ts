import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type Answer, type Call, type TestApp } from '../support/test-app.js';
import { create, createPolicy, createUser, expectError, ISO_8601, operationsOf, UNKNOWN } from './contract.support.js';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Policy endpoints and usage. */
const GOVERNED: [string, string, object?][] = [
  ['GET', '/v1/policies'],
  ['POST', '/v1/policies', { name: 'x', action: 'allow' }],
  ['GET', `/v1/policies/${UNKNOWN}`],
  ['PUT', `/v1/policies/${UNKNOWN}`, { name: 'x' }],
  ['DELETE', `/v1/policies/${UNKNOWN}`],
  ['GET', '/v1/usage'],
];

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.close());

const isHealth = (path: string) => path.startsWith('/health/');
/** The paths of SCIM, which has its own version in the path and its own error body. */
const isScim = (path: string) => path.startsWith('/scim/v2/');
/** The paths of the providers, with their error bodies. */
const isGateway = (path: string) => path.startsWith('/gateway/');
/** Access evaluations, at the paths of OpenID AuthZEN. */
const isAuthzen = (path: string) => path.startsWith('/access/v1/');
const isElsewhere = (path: string) => isHealth(path) || isScim(path) || isGateway(path) || isAuthzen(path);
const endpoints = () => operationsOf(app).filter(({ path }) => !isElsewhere(path));
/**
 * All routes except those that need no token: a device enrolls or renews its certificate, or somebody checks a
 * certificate.
 */
const guarded = () => endpoints().filter(({ isOpen }) => !isOpen);

function expectUnauthorized(answer: Answer): void {
  expect(answer.status).toBe(401);
  expect(answer.body).toEqual({
    error: 'unauthorized',
    message: expect.stringMatching(/\w/),
    request_id: answer.headers.get('x-request-id'),
  });
  expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer\b/);
}

describe('every endpoint', () => {
  it('spec 4: request and response bodies are JSON', async () => {
    const policy = await createPolicy(app.call);
    const answers = [
      await app.call('GET', '/v1/policies'),
      await app.call('POST', '/v1/policies', { name: 'x', action: 'allow' }),
      await app.call('GET', `/v1/policies/${policy.id}`),
      await app.call('PUT', `/v1/policies/${policy.id}`, { name: 'y' }),
      await app.call('GET', '/v1/users'),
      await app.call('GET', '/v1/usage'),
      await app.call('POST', '/v1/policies', {}),
      await app.call('GET', `/v1/policies/${UNKNOWN}`),
      await app.as(null)('GET', '/v1/policies'),
    ];
    expect(answers.map(answer => answer.status)).toEqual([200, 201, 200, 200, 200, 200, 400, 404, 401]);
    for (const { headers, text } of answers) {
      expect(headers.get('content-type')).toMatch(/^application\/json\b/);
      expect(JSON.parse(text)).toEqual(expect.any(Object));
    }
    const form = 'name=x&action=allow';
    const asForm = { 'content-type': 'application/x-www-form-urlencoded' };
    expectError(await app.call('POST', '/v1/policies', form, asForm), 415, 'unsupported_media_type');
    const asJson = { 'content-type': 'application/json' };
    expectError(await app.call('POST', '/v1/policies', '{"name":', asJson), 400, 'bad_request');
  });

  it('spec 4: timestamps are ISO 8601', async () => {
    await createPolicy(app.call);
    await createUser(app.call, 'Ada');
    await create(app.call, '/v1/tokens', { name: 'x', role: 'auditor' });
    let seen = 0;
    for (const path of ['/v1/policies', '/v1/users', '/v1/tokens', '/v1/audit-log']) {
      const [item] = (await app.call('GET', path)).body.items;
      const times = Object.entries<unknown>(item).filter(([name, value]) => name.endsWith('_at') && value !== null);
      for (const [, value] of times) expect(value).toMatch(ISO_8601);
      seen += times.length;
    }
    expect(seen).toBeGreaterThanOrEqual(6);
  });

  it('spec 9: every endpoint has the prefix /v1', async () => {
    expect(endpoints().length).toBeGreaterThan(15);
    for (const { template } of endpoints()) expect(template).toMatch(/^\/v1\//);
    expect(operationsOf(app).filter(({ path }) => isHealth(path))).toHaveLength(2);
    for (const path of ['/policies', '/usage', '/users', '/v2/policies', '/v10/users']) {
      expect((await app.call('GET', path)).status).toBe(404);
    }
  });
});

describe('the bearer credential', () => {
  it('spec 5: every endpoint takes Authorization: Bearer', async () => {
    expect(guarded().length).toBeGreaterThan(15);
    for (const { method, path } of guarded()) {
      const { status } = await app.call(method, path);
      expect({ method, path, refused: status === 401 || status === 403 || status >= 500 }).toEqual({
        method,
        path,
        refused: false,
      });
      expectUnauthorized(await app.as(null)(method, path));
    }
    const header = (authorization: string) => app.as(null)('GET', '/v1/policies', undefined, { authorization });
    expect((await header(`Bearer ${app.adminToken}`)).status).toBe(200);
    expectUnauthorized(await header(`Basic ${Buffer.from(`admin:${app.adminToken}`).toString('base64')}`));
    expectUnauthorized(await header(app.adminToken));
    expectUnauthorized(await app.as(null)('GET', `/v1/policies?access_token=${app.adminToken}`));
  });

  it('is also the credential of SCIM, which answers 401 with its own error body', async () => {
    const operations = operationsOf(app).filter(({ path }) => isScim(path));
    expect(operations.length).toBeGreaterThan(15);
    for (const { method, path } of operations) {
      const { status, body } = await app.as(null)(method, path);
      expect({ method, path, status, told: body.status }).toEqual({ method, path, status: 401, told: '401' });
    }
  });

  it('spec 5: 401 unauthorized for a missing token', async () => {
    for (const { method, path } of guarded()) expectUnauthorized(await app.as(null)(method, path));
    for (const authorization of ['', 'Bearer', 'Bearer ']) {
      expectUnauthorized(await app.as(null)('GET', '/v1/users', undefined, { authorization }));
    }
  });

  it('spec 5: 401 unauthorized for an invalid token', async () => {
    const { id, token } = await create(app.call, '/v1/tokens', { name: 'revoked', role: 'admin' });
    expect((await app.as(token)('GET', '/v1/policies')).status).toBe(200);
    expect((await app.call('DELETE', `/v1/tokens/${id}`)).status).toBe(204);
    const lastLetter = app.adminToken.endsWith('a') ? 'b' : 'a';
    const invalid = [token, 'nonsense', `${app.adminToken.slice(0, -1)}${lastLetter}`, `${app.adminToken}x`, 'a.b.c'];
    for (const wrong of invalid) {
      for (const [method, path, body] of GOVERNED) expectUnauthorized(await app.as(wrong)(method, path, body));
      expectUnauthorized(await app.as(wrong)('GET', '/v1/users'));
    }
  });

  it('spec 5: 401 unauthorized for an expired token', async () => {
    const expiresAt = new Date(app.clock.now().getTime() + DAY_MS).toISOString();
    const { token } = await create(app.call, '/v1/tokens', { name: 'a day', role: 'admin', expires_at: expiresAt });
    app.clock.advance(DAY_MS - 1);
    expect((await app.as(token)('GET', '/v1/policies')).status).toBe(200);
    app.clock.advance(1);
    for (const [method, path, body] of GOVERNED) expectUnauthorized(await app.as(token)(method, path, body));
    expectUnauthorized(await app.as(token)('GET', '/v1/users'));
    expect((await app.call('GET', '/v1/policies')).status).toBe(200);
    app.clock.advance(-DAY_MS);
  });

  it('spec 7: 401 unauthorized on policy endpoints and usage', async () => {
    const { id } = await createPolicy(app.call);
    for (const token of [null, 'nonsense']) {
      for (const [method, path, body] of GOVERNED) {
        // The answer is the same if the policy exists: a caller without a credential learns nothing and changes
        // nothing.
        expectUnauthorized(await app.as(token)(method, path, body));
        expectUnauthorized(await app.as(token)(method, path.replace(UNKNOWN, id), body));
      }
    }
    expect((await app.call('GET', `/v1/policies/${id}`)).body.name).toBe('Research only');
  });
});

describe('the rate limit', () => {
  const LIMIT = 3;
  let limited: TestApp;

  beforeAll(async () => {
    limited = await startTestApp({ requestsPerMinute: LIMIT });
  });

  afterAll(() => limited.close());

  /** A token that has used up its limit on one path. */
  async function spent(path: string): Promise<Call> {
    const { call } = await limited.addToken('admin');
    for (let sent = 1; sent <= LIMIT; sent++) {
      const { status, headers } = await call('GET', path);
      expect(status).toBe(200);
      expect(headers.get('ratelimit-policy')).toBe(`"default";q=${LIMIT};w=60`);
      expect(headers.get('ratelimit')).toMatch(new RegExp(`^"default";r=${LIMIT - sent};t=\\d+$`));
    }
    return call;
  }

  it('spec 7: 429 rate_limited on policy endpoints and usage', async () => {
    for (const path of ['/v1/policies', '/v1/usage']) {
      const call = await spent(path);
      for (const [method, each, body] of GOVERNED) {
        const answer = await call(method, each, body);
        expect(answer.status).toBe(429);
        expect(answer.body).toEqual({
          error: 'rate_limited',
          message: expect.stringMatching(/\w/),
          request_id: answer.headers.get('x-request-id'),
        });
      }
    }
    const { call: another } = await limited.addToken('admin');
    expect((await another('GET', '/v1/policies')).body.items).toEqual([]);
  });

  it('spec 8: a breach of the rate limit says when to come back', async () => {
    for (const path of ['/v1/policies', '/v1/usage']) {
      const answer = await (await spent(path))('GET', path);
      expectError(answer, 429, 'rate_limited');
      const seconds = Number(answer.headers.get('retry-after'));
      expect(seconds).toBeGreaterThanOrEqual(1);
      expect(seconds).toBeLessThanOrEqual(60);
      expect(answer.headers.get('ratelimit')).toBe(`"default";r=0;t=${seconds}`);
      expect(answer.headers.get('ratelimit-policy')).toBe(`"default";q=${LIMIT};w=60`);
    }
  });
});
