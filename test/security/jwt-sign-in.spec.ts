import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose';
import { OrganizationService } from '#access';
import { ChangeFeed } from '#database';
import { GovernanceOperations } from '#governance';
import { createToken } from '../support/seed.js';
import { newDataDir } from '../support/standalone-process.js';
import { startTestApp, type Answer, type Call, type TestApp } from '../support/test-app.js';
import { until } from '../support/webhooks.js';
import { expectOk, identityProvider, newUser } from '../e2e/scim/scim.support.js';

/** Three providers with the same key: with the default checks, without email_verified, and for programs. */
const STRICT = 'https://strict.example.com';
const TRUSTED = 'https://trusted.example.com';
const OPEN = 'https://open.example.com';
const ISSUERS = {
  [STRICT]: {},
  [TRUSTED]: { trustEmail: true, tokenType: 'at+jwt' },
  [OPEN]: { unknownSubjects: 'accept' },
} as const;

let app: TestApp;
let keys: Server;
let privateKey: CryptoKey;
let scim: Call;

beforeAll(async () => {
  const pair = await generateKeyPair('ES256', { extractable: true });
  privateKey = pair.privateKey;
  const jwk: JWK = { ...(await exportJWK(pair.publicKey)), kid: 'one', alg: 'ES256' };
  keys = createServer((_request, response) => response.end(JSON.stringify({ keys: [jwk] })));
  await new Promise<void>(resolve => keys.listen(0, '127.0.0.1', resolve));
  app = await startTestApp(options());
  scim = await identityProvider(app);
});

afterAll(async () => {
  await app?.close();
  await new Promise(resolve => keys?.close(resolve));
});

function options() {
  const jwksUri = `http://127.0.0.1:${(keys.address() as AddressInfo).port}/keys`;
  const identityProviders = Object.entries(ISSUERS).map(([issuer, given]) =>
    Object.assign({ issuer, audience: 'governance', jwksUri }, given),
  );
  return { identityProviders, decisions: { unknownUser: 'evaluate' } } as const;
}

/** Signs in with claims, at a time after all earlier events. */
async function jwt(claims: Record<string, unknown>, typ?: string): Promise<string> {
  const now = Math.floor(app.clock.now().getTime() / 1000);
  const all = { iss: STRICT, aud: 'governance', iat: now, exp: now + 600, org_id: app.orgId, role: 'member' };
  const header = { alg: 'ES256', kid: 'one', ...(typ === undefined ? {} : { typ }) };
  return new SignJWT({ ...all, ...claims }).setProtectedHeader(header).sign(privateKey);
}

const as = async (claims: Record<string, unknown>, typ?: string): Promise<Call> => app.as(await jwt(claims, typ));
const hire = async (email = `${randomUUID()}@example.com`): Promise<{ id: string; email: string }> => ({
  id: (await expectOk(app.call('POST', '/v1/users', { email, name: 'Ada' }))).body.id,
  email,
});
/** The status for a user's record: 200 for the user, 404 for other users, 401 for an unknown caller. */
const asks = async (id: string, claims: Record<string, unknown>, typ?: string): Promise<number> =>
  (await (await as(claims, typ))('GET', `/v1/users/${id}`)).status;
const later = () => app.clock.advance(2_000);
const identitiesOf = async (id: string): Promise<Answer['body'][]> =>
  (await app.call('GET', `/v1/identities?user_id=${id}`)).body.items;
const verified = (email: string) => ({ email, email_verified: true });

describe('a sign-in by JWT', () => {
  it('is refused with 401 after the organization was deleted, and creates a new link when it is created again', async () => {
    const { orgId, call } = await app.addOrganization('Short-lived');
    const folder = newDataDir();
    const email = `${randomUUID()}@example.com`;
    const claims = { sub: randomUUID(), org_id: orgId, ...verified(email) };
    const hireIn = async (admin: Call): Promise<string> =>
      (await expectOk(admin('POST', '/v1/users', { email, name: 'Ada' }))).body.id;
    expect(await asks(await hireIn(call), claims)).toBe(200);
    const operations = app.app.get(GovernanceOperations);
    await operations.suspendOrganization(orgId);
    expect(await (await as(claims))('GET', '/v1/users')).toMatchObject({ status: 403 });
    app.clock.advance(61_000);
    await operations.deleteOrganization(orgId, { folder: join(folder, 'export'), confirm: 'Short-lived', by: 'op' });
    await app.app.get(ChangeFeed, { strict: false }).refresh();
    expect(await (await as(claims))('GET', '/v1/users')).toMatchObject({
      status: 401,
      body: { error: 'unauthorized' },
    });
    await app.app.get(OrganizationService).ensure('Second life', { id: orgId });
    later();
    expect(await asks(await hireIn(app.as(await createToken(app.app, orgId, 'admin'))), claims)).toBe(200);
    rmSync(folder, { recursive: true, force: true });
  });

  it('links the account to the user at the first sign-in, with issuer and subject in the audit log', async () => {
    const { id, email } = await hire();
    const sub = randomUUID();
    expect(await asks(id, { sub, ...verified(email) })).toBe(200);
    expect(await asks(id, { sub, ...verified(email) })).toBe(200);
    expect(await identitiesOf(id)).toEqual([
      {
        ...{ id: expect.any(String), user_id: id, issuer: STRICT, subject: sub },
        ...{ linked_at: app.clock.now().toISOString(), ended_at: null },
      },
    ]);
    const { items } = (await app.call('GET', '/v1/audit-log?resource_type=identity&limit=1')).body;
    expect(items).toMatchObject([
      { action: 'identity.linked', actor_kind: 'jwt', actor_id: `${STRICT}#${sub}`, address: '127.0.0.1' },
    ]);
  });

  it('matches by subject even if the address has changed on either side', async () => {
    const { id, email } = await hire();
    const sub = randomUUID();
    expect(await asks(id, { sub, ...verified(email) })).toBe(200);
    await expectOk(app.call('PUT', `/v1/users/${id}`, { email: `${randomUUID()}@example.com` }));
    expect(await asks(id, { sub, ...verified(email) })).toBe(200);
    expect(await asks(id, { sub })).toBe(200);
    expect(await asks(id, { sub, email: 'else@example.com', email_verified: false })).toBe(200);
  });

  it.each([STRICT, OPEN])('is refused by %s for a renamed leaver', async iss => {
    const { id, email } = await hire();
    const sub = randomUUID();
    expect(await asks(id, { iss, sub, ...verified(email) })).toBe(200);
    await expectOk(app.call('POST', `/v1/users/${id}/offboard`));
    later();
    for (const claims of [verified(email), verified(`renamed-${email}`), {}]) {
      expect(await asks(id, { iss, sub, ...claims })).toBe(401);
    }
    const agent = await as({ iss, sub, role: 'agent', ...verified(`renamed-${email}`) });
    const request = { user_email: `renamed-${email}`, provider: 'openai', model: 'gpt-4o' };
    expect((await agent('POST', '/v1/decisions', request)).status).toBe(401);
    expect(await identitiesOf(id)).toMatchObject([{ subject: sub, ended_at: expect.any(String) }]);
  });

  it.each([STRICT, OPEN])('with a stolen address is refused by %s if its owner has signed in', async iss => {
    const owner = await hire();
    expect(await asks(owner.id, { iss, sub: randomUUID(), ...verified(owner.email) })).toBe(200);
    expect(await asks(owner.id, { iss, sub: randomUUID(), ...verified(owner.email) })).toBe(401);
  });

  it('with a stolen address stays linked to the thief if the thief has signed in first', async () => {
    const [owner, thief] = [await hire(), await hire()];
    const sub = randomUUID();
    expect(await asks(thief.id, { sub, ...verified(thief.email) })).toBe(200);
    expect(await asks(owner.id, { sub, ...verified(owner.email) })).toBe(404);
    expect(await asks(thief.id, { sub, ...verified(owner.email) })).toBe(200);
  });

  it.each([
    [STRICT, undefined, 401],
    [STRICT, false, 401],
    [STRICT, 'true', 200],
    [TRUSTED, undefined, 200],
    [TRUSTED, false, 401],
    [OPEN, undefined, 401],
  ])('by %s with email_verified %s is answered with %i', async (iss, email_verified, status) => {
    const { id, email } = await hire();
    expect(await asks(id, { iss, sub: randomUUID(), email, email_verified }, 'at+jwt')).toBe(status);
  });

  it.each([
    [STRICT, undefined, 401],
    [STRICT, false, 401],
    [OPEN, false, 401],
    [STRICT, true, 200],
    [TRUSTED, undefined, 200],
    [TRUSTED, false, 401],
  ])('by %s with a UUID as address and email_verified %s is answered with %i', async (iss, verifiedClaim, status) => {
    const { id } = await hire();
    const claims = { iss, sub: randomUUID(), email: id, email_verified: verifiedClaim };
    expect(await asks(id, claims, 'at+jwt')).toBe(status);
    expect(await identitiesOf(id)).toHaveLength(status === 200 ? 1 : 0);
  });

  it.each([
    [STRICT, 401],
    [OPEN, 200],
  ])('with an unknown subject by %s gets %i for decisions if unknownUser is evaluate', async (iss, status) => {
    const request = { user_email: 'nobody@example.com', provider: 'openai', model: 'gpt-4o' };
    for (const claims of [{}, verified('nobody@example.com')]) {
      const agent = await as({ iss, sub: randomUUID(), role: 'agent', ...claims });
      expect((await agent('POST', '/v1/decisions', request)).status).toBe(status);
    }
  });

  it.each([
    ['at+jwt', 200],
    ['AT+JWT', 200],
    ['JWT', 401],
    [undefined, 401],
  ])('with the header typ %s is answered with %i if the provider names at+jwt', async (typ, status) => {
    const { id, email } = await hire();
    expect(await asks(id, { iss: TRUSTED, sub: randomUUID(), ...verified(email) }, typ)).toBe(status);
  });

  it('is refused with a subject of more than 255 characters', async () => {
    const { id, email } = await hire();
    expect(await asks(id, { sub: 'x'.repeat(256), ...verified(email) })).toBe(401);
    expect(await asks(id, { sub: 'x'.repeat(255), ...verified(email) })).toBe(200);
  });

  it('requires a JWT issued after the departure if the person has come back', async () => {
    const { id, email } = await hire();
    const claims = { sub: randomUUID(), ...verified(email) };
    const old = app.as(await jwt(claims));
    expect((await old('GET', `/v1/users/${id}`)).status).toBe(200);
    await expectOk(app.call('POST', `/v1/users/${id}/offboard`));
    await expectOk(app.call('POST', `/v1/users/${id}/reinstate`));
    expect((await old('GET', `/v1/users/${id}`)).status).toBe(401);
    later();
    expect(await asks(id, { ...claims, iat: undefined })).toBe(401);
    expect(await asks(id, claims)).toBe(200);
    expect((await identitiesOf(id)).map(({ ended_at: ended }) => ended)).toEqual([null]);
  });

  it('signs in the new user and not the previous one if an address was reused', async () => {
    const email = `${randomUUID()}@example.com`;
    const { id } = await newUser(scim, email);
    const [former, joiner] = [randomUUID(), randomUUID()];
    expect(await asks(id, { sub: former, ...verified(email) })).toBe(200);
    await expectOk(scim('DELETE', `/Users/${id}`));
    await newUser(scim, email);
    later();
    expect(await asks(id, { sub: joiner, ...verified(email) })).toBe(200);
    expect(await asks(id, { sub: former, ...verified(email) })).toBe(401);
    expect(await asks(id, { sub: former, ...verified(`old-${email}`) })).toBe(401);
  });

  it('is refused while the user is inactive, and works again afterwards', async () => {
    const { id, email } = await hire();
    const claims = { sub: randomUUID(), ...verified(email) };
    expect(await asks(id, claims)).toBe(200);
    await expectOk(app.call('PUT', `/v1/users/${id}`, { status: 'inactive' }));
    expect(await asks(id, claims)).toBe(401);
    await expectOk(app.call('PUT', `/v1/users/${id}`, { status: 'active' }));
    expect(await asks(id, claims)).toBe(200);
  });

  it('links an account that was created again after an admin has removed the old link, on every replica', async () => {
    const other = await startTestApp({ ...options(), testDatabase: app.database, orgId: app.orgId, time: app.clock });
    try {
      const { id, email } = await hire();
      const old = await jwt({ sub: randomUUID(), ...verified(email) });
      const fresh = await jwt({ sub: randomUUID(), ...verified(email) });
      const status = async (on: TestApp, token: string) => (await on.as(token)('GET', `/v1/users/${id}`)).status;
      expect([await status(app, old), await status(other, old), await status(app, fresh)]).toEqual([200, 200, 401]);
      const [link] = await identitiesOf(id);
      expect((await (await app.addToken('auditor')).call('DELETE', `/v1/identities/${link.id}`)).status).toBe(403);
      expect((await app.call('DELETE', `/v1/identities/${link.id}`)).status).toBe(204);
      expect((await app.call('DELETE', `/v1/identities/${link.id}`)).status).toBe(404);
      const { items } = (await app.call('GET', '/v1/audit-log?resource_type=identity&limit=1')).body;
      expect(items).toMatchObject([{ action: 'identity.unlinked', before: { user_id: id } }]);
      expect(await status(app, fresh)).toBe(200);
      await until(async () => (await status(other, old)) === 401);
      expect(await status(app, old)).toBe(401);
    } finally {
      await other.close();
    }
  });

  it('links an account once for concurrent sign-ins', async () => {
    const { id, email } = await hire();
    const token = await jwt({ sub: randomUUID(), ...verified(email) });
    const answers = await Promise.all(Array.from({ length: 8 }, () => app.as(token)('GET', `/v1/users/${id}`)));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(await identitiesOf(id)).toHaveLength(1);
  });

  it('lists links page by page, newest first', async () => {
    const first = (await app.call('GET', '/v1/identities?limit=2')).body;
    expect([first.items.length, first.total_count > 2]).toEqual([2, true]);
    const next = (await app.call('GET', `/v1/identities?limit=2&cursor=${first.next_cursor}`)).body;
    const ids = [...first.items, ...next.items].map(({ id }: { id: string }) => id);
    expect(ids).toEqual([...new Set(ids)].toSorted().toReversed());
  });
});
