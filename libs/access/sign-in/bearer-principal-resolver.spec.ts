import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { type OrganizationStates, SystemClock, UnavailableError, type UserStatus } from '#core';
import type { ChangeFeed } from '#database';
import { FakeUserDirectory } from '../testing/access-replica.js';
import { ClientAddress } from '../request/client-address.js';
import type { IdentityLinks, SignIn } from '../identities/identity-links.js';
import type { KnownIdentities } from '../identities/known-identities.js';
import { OrganizationSuspendedError } from '../organizations/organization.errors.js';
import type { OrganizationService } from '../organizations/organization.service.js';
import type { TokenVerifier, VerifiedToken } from '../tokens/token-verifier.js';
import { BearerPrincipalResolver } from './bearer-principal-resolver.js';
import { JwtPrincipals } from './jwt-principals.js';
import { JwtSignIns } from './jwt-sign-ins.js';
import type { JwtIdentity, JwtVerifier } from './jwt-verifier.js';
import { SignInLimits } from './sign-in-limits.js';
import { TokenPrincipals } from './token-principals.js';

const orgId = randomUUID();
const userId = randomUUID();
const scopes = new Set(['usage:read:own'] as const);

const ISSUER = 'https://idp.example.org';
const token: VerifiedToken = {
  ...{ orgId, id: 't', name: 'T', scopes, userId: null, issuedBy: [], issuedByNobody: false },
  ...{ endsWithUsers: [], bounds: undefined },
};

function resolver(parts: {
  jwt?: Partial<JwtIdentity>;
  token?: VerifiedToken;
  exists?: boolean;
  isSuspended?: boolean;
  status?: UserStatus;
  /** The stored link of the account. Default: none. */
  known?: { endedAt: Date | null };
}) {
  const users = new FakeUserDirectory();
  if (parts.status) {
    const person = { id: userId, email: 'a@example.org', name: 'A', department: null, role: 'member', attributes: {} };
    users.people.push({ ...person, status: parts.status });
  }
  const account = { orgId, issuer: ISSUER, subject: 'sub', issuedAt: undefined };
  const identity = { ...account, name: 'A', scopes, hasUnprovenAddress: false, acceptsUnknown: false, ...parts.jwt };
  const linked: SignIn[] = [];
  // Each object has only the methods that the resolver calls.
  const tokens = { verify: () => Promise.resolve(parts.token ?? null) } as unknown as TokenVerifier;
  const jwts = { verify: () => Promise.resolve(parts.jwt ? identity : null) } as unknown as JwtVerifier;
  const organizations = { exists: () => Promise.resolve(parts.exists ?? true) } as unknown as OrganizationService;
  const find = () => Promise.resolve(parts.known && { orgId, userId, ...parts.known });
  const links = { link: async (_actor: unknown, signIn: SignIn) => linked.push(signIn) > 0 };
  const assertActive = () => (parts.isSuspended ? Promise.reject(new OrganizationSuspendedError()) : undefined);
  const states = { assertActive } as unknown as OrganizationStates;
  const principals = new JwtPrincipals(
    organizations,
    { find } as unknown as KnownIdentities,
    links as unknown as IdentityLinks,
    users,
    states,
  );
  const [addresses, clock] = [new ClientAddress({}), new SystemClock()];
  const limits = new SignInLimits({ failedSignInsPerMinute: 0 }, addresses, clock);
  const changes = { subscribe: () => undefined } as unknown as ChangeFeed;
  const signIns = new JwtSignIns(principals, limits, addresses, clock, changes);
  const ofTokens = new TokenPrincipals(tokens, users, limits, states);
  return { users, linked, resolver: new BearerPrincipalResolver(ofTokens, jwts, signIns) };
}

const jwt = { headers: { authorization: 'Bearer aaa.bbb.ccc' } };

Logger.overrideLogger(false);

describe('the principal of a bearer credential', () => {
  it('is refused with the reason, and no account is linked, if the organization is suspended', async () => {
    const user = 'a@example.org';
    const { resolver: resolve, linked } = resolver({ jwt: { user }, status: 'active', isSuspended: true });
    await expect(resolve.resolve(jwt)).rejects.toThrow(OrganizationSuspendedError);
    expect(linked).toEqual([]);
  });

  it.each(['a@example.org', userId, userId.toUpperCase()])(
    'is the active user that the JWT names at the first sign-in: %s',
    async user => {
      const { resolver: resolve, linked } = resolver({ jwt: { user }, status: 'active' });
      const id = `${ISSUER}#sub`;
      expect(await resolve.resolve(jwt)).toEqual({ kind: 'jwt', orgId, id, name: 'A', scopes, userId });
      expect(linked).toEqual([{ orgId, issuer: ISSUER, subject: 'sub', userId, issuedAt: undefined }]);
    },
  );

  it('is the linked user whatever else the JWT says', async () => {
    const { resolver: resolve, linked } = resolver({
      ...{ jwt: { user: 'b@example.org' }, status: 'active', known: { endedAt: null } },
    });
    expect(await resolve.resolve(jwt)).toMatchObject({ userId });
    expect(linked).toEqual([]);
  });

  it('does not exist while the user is suspended or inactive', async () => {
    for (const status of ['suspended', 'inactive'] as const) {
      for (const known of [undefined, { endedAt: null }]) {
        const { resolver: resolve } = resolver({ jwt: { user: userId }, status, ...(known && { known }) });
        expect(await resolve.resolve(jwt)).toBeNull();
      }
    }
  });

  it.each([{}, { user: 'b@example.org' }])('without a user is refused by default, or has no user: %j', async named => {
    expect(await resolver({ jwt: named }).resolver.resolve(jwt)).toBeNull();
    const accepted = await resolver({ jwt: { ...named, acceptsUnknown: true } }).resolver.resolve(jwt);
    expect(accepted).toMatchObject({ id: `${ISSUER}#sub` });
    expect(accepted).not.toHaveProperty('userId');
  });

  it('does not exist if unknown accounts are accepted and the user has left or the address is not verified', async () => {
    const left = { jwt: { acceptsUnknown: true }, known: { endedAt: new Date() } };
    const unproven = { jwt: { acceptsUnknown: true, hasUnprovenAddress: true } };
    for (const parts of [left, unproven]) expect(await resolver(parts).resolver.resolve(jwt)).toBeNull();
  });

  it('does not exist if the organization of the JWT does not exist', async () => {
    expect(await resolver({ jwt: {}, exists: false }).resolver.resolve(jwt)).toBeNull();
  });

  it('is unknown while the user directory is unavailable', async () => {
    const { resolver: resolve, users } = resolver({ jwt: { user: userId } });
    users.failure = new Error('away');
    await expect(resolve.resolve(jwt)).rejects.toThrow(UnavailableError);
  });

  it.each([
    ['no header', {}],
    ['an empty header', { authorization: '' }],
    ['a scheme without a credential', { authorization: 'Bearer' }],
    ['two credentials in one header', { authorization: 'Bearer aaa, Bearer bbb' }],
    ['a credential with a space', { authorization: 'Bearer aaa bbb' }],
    ['another scheme', { authorization: 'Token aaa' }],
    ['more than 8 KiB', { authorization: `Bearer ${'a'.repeat(8 * 1024)}` }],
  ])('does not exist with %s', async (_what, headers) => {
    expect(await resolver({ token }).resolver.resolve({ headers })).toBeNull();
  });

  it('does not exist if the header occurs twice', async () => {
    const headers = { authorization: 'Bearer aaa' };
    const { resolver: resolve } = resolver({ token });
    expect(await resolve.resolve({ headers, rawHeaders: ['Authorization', 'Bearer aaa'] })).not.toBeNull();
    const twice = ['Authorization', 'Bearer aaa', 'authorization', 'Bearer bbb'];
    expect(await resolve.resolve({ headers, rawHeaders: twice })).toBeNull();
  });
});
