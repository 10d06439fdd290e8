import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey } from 'jose';
import { OrgDatabase } from '#database';
import { startTestApp, type TestApp } from '../support/test-app.js';

const ISSUER = 'https://login.example.com';
const LIMIT = 5;
/** Maximum number of queries of a look-up: for the organization, the link and the user, and to check for changes. */
const QUERIES_PER_LOOK_UP = 5;
/**
 * Maximum number of queries by background work, such as polling, that may run during the test's requests on a slow
 * machine.
 */
const QUERIES_BESIDE = 20;

describe('sign-ins with a correctly signed JWT of a refused account', () => {
  let app: TestApp;
  let keys: Server;
  let privateKey: CryptoKey;
  let warnings: string[];

  beforeAll(async () => {
    const pair = await generateKeyPair('ES256', { extractable: true });
    privateKey = pair.privateKey;
    const jwk = { ...(await exportJWK(pair.publicKey)), kid: 'one', alg: 'ES256' };
    keys = createServer((_request, response) => response.end(JSON.stringify({ keys: [jwk] })));
    await new Promise<void>(resolve => keys.listen(0, '127.0.0.1', resolve));
    const jwksUri = `http://127.0.0.1:${(keys.address() as AddressInfo).port}/keys`;
    app = await startTestApp({
      failedSignInsPerMinute: LIMIT,
      identityProviders: [{ issuer: ISSUER, audience: 'governance', jwksUri }],
    });
  });

  afterAll(async () => {
    await app?.close();
    await new Promise(resolve => keys?.close(resolve));
  });

  beforeEach(() => {
    // Lets the limits of the previous test expire.
    app.clock.advance(3_600_000);
    warnings = [];
    // Ignores security events, which are separate lines with their own limit.
    jest.spyOn(Logger.prototype, 'warn').mockImplementation((line: unknown) => {
      if (!String(line).startsWith('{')) warnings.push(String(line));
    });
  });

  afterEach(() => void jest.restoreAllMocks());

  async function jwt(claims: object): Promise<string> {
    const now = Math.floor(app.clock.now().getTime() / 1_000);
    const all = { iss: ISSUER, aud: 'governance', iat: now, exp: now + 7_200, org_id: app.orgId, role: 'admin' };
    const header = { alg: 'ES256', kid: 'one' };
    return new SignJWT({ ...all, ...claims }).setProtectedHeader(header).sign(privateKey);
  }

  const statusOf = async (token: string): Promise<number> => (await app.as(token)('GET', '/v1/policies')).status;

  /** The statuses of consecutive requests, and the number of their queries. */
  async function costOf(tokens: readonly string[]): Promise<{ statuses: number[]; queries: number }> {
    const database = app.app.get(OrgDatabase);
    const spies = [jest.spyOn(database, 'transaction'), jest.spyOn(database, 'global')];
    const statuses: number[] = [];
    for (const token of tokens) statuses.push(await statusOf(token));
    const queries = spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0);
    for (const spy of spies) spy.mockRestore();
    return { statuses, queries };
  }

  const employ = async (): Promise<{ email: string; first: string; second: string; userId: string }> => {
    const email = `${randomUUID()}@example.com`;
    const { body } = await app.call('POST', '/v1/users', { email, name: 'Ada' });
    const as = (sub: string): Promise<string> => jwt({ sub, email, email_verified: true });
    return { email, first: await as('first'), second: await as('second \u009b31m\n forged'), userId: body.id };
  };

  const verified = { email: 'nobody@example.com', email_verified: true };
  const REFUSALS = [...Array<number>(LIMIT).fill(401), ...Array<number>(60 - LIMIT).fill(429)];

  it('cost the queries of one look-up if the JWT is repeated', async () => {
    const token = await jwt({ sub: 'stranger', ...verified });
    const { statuses, queries } = await costOf(Array<string>(60).fill(token));
    expect(statuses).toEqual(REFUSALS);
    expect(queries).toBeLessThanOrEqual(QUERIES_PER_LOOK_UP + QUERIES_BESIDE);
  });

  it.each([
    ['subject', () => jwt({ sub: randomUUID(), ...verified })],
    ['address', () => jwt({ sub: 'stranger', email: `${randomUUID()}@example.com`, email_verified: true })],
    ['organization', () => jwt({ sub: 'stranger', ...verified, org_id: randomUUID() })],
  ])('cost the queries of as many look-ups as the limit if each has another %s', async (_what, make) => {
    const { statuses, queries } = await costOf(await Promise.all(Array.from({ length: 60 }, make)));
    expect(statuses).toEqual(REFUSALS);
    expect(queries).toBeLessThanOrEqual(LIMIT * QUERIES_PER_LOOK_UP + QUERIES_BESIDE);
  });

  it('warn once an hour, without a value of the JWT, if the user has another account', async () => {
    const { email, first, second, userId } = await employ();
    expect(await statusOf(first)).toBe(200);
    const { statuses, queries } = await costOf(Array<string>(60).fill(second));
    expect(statuses).toEqual(REFUSALS);
    expect(queries).toBeLessThanOrEqual(QUERIES_PER_LOOK_UP + QUERIES_BESIDE);
    app.clock.advance(60_000);
    expect(await statusOf(second)).toBe(401);
    expect(warnings).toEqual([expect.stringContaining(`/v1/identities?user_id=${userId}`)]);
    for (const value of ['second', 'forged', email]) expect(warnings[0]).not.toContain(value);
    expect(warnings[0]).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
    app.clock.advance(3_600_000);
    expect(await statusOf(second)).toBe(401);
    expect(warnings).toHaveLength(2);
  });

  it('do not affect an account that was accepted before', async () => {
    const { first } = await employ();
    expect(await statusOf(first)).toBe(200);
    const strangers = Array.from({ length: 10 }, () => jwt({ sub: randomUUID(), ...verified }));
    await costOf(await Promise.all(strangers));
    expect(await statusOf(first)).toBe(200);
  });

  it('do not block concurrent first requests of one account', async () => {
    const { first } = await employ();
    const statuses = await Promise.all(Array.from({ length: 3 * LIMIT }, () => statusOf(first)));
    expect(statuses).toEqual(Array(3 * LIMIT).fill(200));
  });

  it('succeed within a second after the user is created', async () => {
    const email = `${randomUUID()}@example.com`;
    const token = await jwt({ sub: randomUUID(), email, email_verified: true });
    expect(await statusOf(token)).toBe(401);
    await app.call('POST', '/v1/users', { email, name: 'Ada' });
    app.clock.advance(1_000);
    expect(await statusOf(token)).toBe(200);
  });
});
