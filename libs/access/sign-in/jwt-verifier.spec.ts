import { createHmac, randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { base64url, exportJWK, exportSPKI, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose';
import { UnavailableError } from '#core';
import { ManualClock } from '../../../test/support/manual-clock.js';
import type { IdentityProvider } from './identity-provider.js';
import { JwtVerifier } from './jwt-verifier.js';
import { ROLE_SCOPES } from '../principals/scopes.js';

const ISSUER = 'https://idp.example.org';
const ORG = randomUUID();
const NOW = new Date('2026-11-20T12:00:00Z');
const seconds = NOW.getTime() / 1000;

interface Signer {
  kid: string;
  privateKey: CryptoKey;
  publicKey: CryptoKey;
  jwk: JWK;
}

async function signer(kid: string, alg = 'ES256'): Promise<Signer> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, privateKey, publicKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

Logger.overrideLogger(false);

describe('JWTs of an identity provider', () => {
  let server: Server;
  let jwksUri: string;
  let published: JWK[];
  let answer: { status: number; body?: string };
  let fetches: number;
  let key: Signer;

  beforeAll(async () => {
    server = createServer((_request, response) => {
      fetches++;
      response.writeHead(answer.status, { 'content-type': 'application/json' });
      response.end(answer.body ?? JSON.stringify({ keys: published }));
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    jwksUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`;
    key = await signer('one');
  });

  beforeEach(() => {
    published = [key.jwk];
    answer = { status: 200 };
    fetches = 0;
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  afterAll(() => new Promise(resolve => server.close(resolve)));

  function verifier(provider: Partial<IdentityProvider> = {}): JwtVerifier {
    const identityProviders = [{ issuer: ISSUER, audience: 'governance', jwksUri, ...provider }];
    return new JwtVerifier({ identityProviders }, new ManualClock(NOW));
  }

  function claims(changes: Record<string, unknown> = {}): Record<string, unknown> {
    const all = { iss: ISSUER, aud: 'governance', sub: 'u-1', exp: seconds + 60, org_id: ORG, role: 'auditor' };
    return Object.fromEntries(Object.entries({ ...all, ...changes }).filter(([, value]) => value !== undefined));
  }

  async function token(changes: Record<string, unknown> = {}, by: Signer = key): Promise<string> {
    const alg = by.jwk.alg ?? 'ES256';
    return new SignJWT(claims(changes)).setProtectedHeader({ alg, kid: by.kid }).sign(by.privateKey);
  }

  it('name organization, subject, user and role', async () => {
    const jwt = await token({ email: 'a@example.org', email_verified: true, name: 'A', iat: seconds });
    expect(await verifier().verify(jwt)).toEqual({
      orgId: ORG,
      issuer: ISSUER,
      subject: 'u-1',
      issuedAt: NOW,
      hasUnprovenAddress: false,
      acceptsUnknown: false,
      name: 'A',
      user: 'a@example.org',
      scopes: expect.any(Set),
    });
  });

  it.each([
    ['another issuer', { iss: 'https://evil.example.org' }],
    ['no issuer', { iss: undefined }],
    ['another audience', { aud: 'somebody else' }],
    ['no audience', { aud: undefined }],
    ['an expiry in the past', { exp: seconds - 6 }],
    ['no expiry', { exp: undefined }],
    ['an expiry that is not a number', { exp: 'never' }],
    ['a start in the future', { nbf: seconds + 60 }],
    ['no subject', { sub: undefined }],
    ['no organization', { org_id: undefined }],
    ['an organization that is not a UUID', { org_id: '1 or true' }],
    ['no role', { role: undefined }],
    ['a role that does not exist', { role: 'root' }],
    ['a role named like a property of every JavaScript object', { role: 'constructor' }],
    ['a subject that cannot be stored', { sub: 'a\0b' }],
    ['a subject of 256 characters', { sub: 'x'.repeat(256) }],
    ['an empty subject', { sub: '' }],
  ])('are refused with %s', async (_what, changes) => {
    const jwt = new SignJWT(claims(changes)).setProtectedHeader({ alg: 'ES256', kid: 'one' });
    expect(await verifier().verify(await jwt.sign(key.privateKey))).toBeNull();
  });

  it.each([
    ['false', {}, { email_verified: false }, false],
    ['missing', {}, {}, false],
    ['missing, with trustEmail', { trustEmail: true }, {}, true],
    ['false, with trustEmail', { trustEmail: true }, { email_verified: false }, false],
    ['a number', {}, { email_verified: 1 }, false],
    ['the string "true"', {}, { email_verified: 'true' }, true],
  ])('identify a user by address only if email_verified confirms it: %s', async (_what, provider, given, isProven) => {
    const identity = await verifier(provider).verify(await token({ email: 'a@example.org', ...given }));
    expect([identity?.user, identity?.hasUnprovenAddress]).toEqual(
      isProven ? ['a@example.org', false] : [undefined, true],
    );
  });

  it.each([
    ['false', {}, 'email', { email_verified: false }, false],
    ['missing', {}, 'email', {}, false],
    ['missing, with a separate claim for the UUID', {}, 'uid', {}, false],
    ['missing, with trustEmail', { trustEmail: true }, 'uid', {}, true],
    ['false, with trustEmail', { trustEmail: true }, 'uid', { email_verified: false }, false],
    ['true', {}, 'uid', { email_verified: true }, true],
  ])(
    'identify a user by UUID only if email_verified confirms it: %s',
    async (_what, provider, user, given, isProven) => {
      const id = randomUUID();
      const identity = await verifier({ ...provider, claims: { user } }).verify(await token({ [user]: id, ...given }));
      expect([identity?.user, identity?.hasUnprovenAddress]).toEqual(isProven ? [id, false] : [undefined, true]);
    },
  );

  it('may differ from the clock by five seconds', async () => {
    expect(await verifier().verify(await token({ exp: seconds - 4 }))).not.toBeNull();
  });

  it('are refused without a signature', async () => {
    const parts = [{ alg: 'none', kid: 'one' }, claims()].map(part => base64url.encode(JSON.stringify(part)));
    expect(await verifier().verify(`${parts.join('.')}.`)).toBeNull();
    expect(await verifier().verify(`${parts.join('.')}.AAAA`)).toBeNull();
  });

  it('are refused if signed with HMAC over the public key', async () => {
    const head = [{ alg: 'HS256', kid: 'one' }, claims()].map(part => base64url.encode(JSON.stringify(part))).join('.');
    for (const secret of [await exportSPKI(key.publicKey), JSON.stringify(key.jwk)]) {
      const signature = createHmac('sha256', secret).update(head).digest('base64url');
      expect(await verifier().verify(`${head}.${signature}`)).toBeNull();
    }
  });

  it('are refused with an algorithm that the provider does not list', async () => {
    expect(await verifier({ algorithms: ['RS256'] }).verify(await token())).toBeNull();
  });

  it('are refused if altered or signed by another key under a known id', async () => {
    const [header, , signature] = (await token()).split('.');
    const altered = base64url.encode(JSON.stringify(claims({ role: 'admin' })));
    expect(await verifier().verify(`${header}.${altered}.${signature}`)).toBeNull();
    expect(await verifier().verify(await token({}, await signer('one')))).toBeNull();
  });

  it('are refused if no key has their id, and the provider is asked for it at most every five seconds', async () => {
    const jwt = await token({}, await signer('unknown'));
    const one = verifier();
    expect(await one.verify(jwt)).toBeNull();
    expect(await one.verify(jwt)).toBeNull();
    expect(fetches).toBe(1);
    jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 5001);
    expect(await one.verify(jwt)).toBeNull();
    expect(fetches).toBe(2);
  });

  it('are accepted after the provider changed its key, and no longer with the old one', async () => {
    const one = verifier();
    const old = await token();
    expect(await one.verify(old)).not.toBeNull();
    const next = await signer('two', 'RS256');
    published = [next.jwk];
    const now = Date.now();
    jest.spyOn(Date, 'now').mockReturnValue(now + 5001);
    expect(await one.verify(await token({}, next))).not.toBeNull();
    expect(await one.verify(old)).toBeNull();
  });

  it.each([
    ['500', { status: 500 }],
    ['404', { status: 404 }],
    ['a redirect', { status: 302 }],
    ['a page instead of keys', { status: 200, body: '<html>' }],
    ['JSON that is not a key set', { status: 200, body: '{}' }],
  ])('cannot be verified while the provider answers %s: 503, not 401', async (_what, given) => {
    answer = given;
    await expect(verifier().verify(await token())).rejects.toThrow(UnavailableError);
  });

  it('cannot be verified while the provider is unavailable: 503, not 401', async () => {
    const jwt = await token();
    await expect(verifier({ jwksUri: 'http://127.0.0.1:1/keys' }).verify(jwt)).rejects.toThrow(UnavailableError);
  });

  it.each(['', 'a.b.c', '...', 'eyJhbGciOiJFUzI1NiJ9.bm8.bm8'])('are refused if they are %j', async text => {
    expect(await verifier().verify(text)).toBeNull();
    expect(fetches).toBe(0);
  });

  it("may use the provider's claim names", async () => {
    const organizationId = randomUUID();
    const provider = {
      organizationId,
      claims: { user: 'oid', role: 'groups' },
      roles: { Staff: 'member', Compliance: 'auditor' },
    } as const;
    const identity = await verifier(provider).verify(
      await token({
        org_id: ORG,
        oid: 'b@example.org',
        email_verified: true,
        groups: ['Staff', 'auditor', 7],
        role: 'admin',
      }),
    );
    expect(identity).toMatchObject({ orgId: organizationId, user: 'b@example.org' });
    expect([...identity!.scopes].sort()).toEqual([...ROLE_SCOPES.member].sort());
  });

  it.each([
    ['HMAC', { algorithms: ['HS256'] }, 'HS256'],
    ['no signature algorithm', { algorithms: ['none'] }, 'none'],
    ['keys over plain HTTP', { jwksUri: 'http://idp.example.org/keys' }, 'https:'],
    ['no URL of the keys', { jwksUri: 'keys' }, 'https:'],
    ['an organization that is not a UUID', { organizationId: 'acme' }, 'organizationId'],
    ['no audience', { audience: '' }, 'audience'],
    ['an empty type of token', { tokenType: '' }, 'tokenType'],
  ])('cannot be configured with %s', (_what, provider, named) => {
    expect(() => verifier(provider)).toThrow(named);
  });
});
