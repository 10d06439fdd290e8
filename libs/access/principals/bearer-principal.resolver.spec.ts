import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { UnavailableError, type UserStatus } from '#core';
import { FakeUserDirectory } from '../testing/access-replica.js';
import type { OrganizationService } from '../organizations/organization.service.js';
import type { TokenVerifier, VerifiedToken } from '../tokens/token-verifier.js';
import { BearerPrincipalResolver } from './bearer-principal.resolver.js';
import type { JwtIdentity, JwtVerifier } from './jwt-verifier.js';

const orgId = randomUUID();
const userId = randomUUID();
const scopes = new Set(['usage:read:own'] as const);

function resolver(parts: { jwt?: Partial<JwtIdentity>; token?: VerifiedToken; exists?: boolean; status?: UserStatus }) {
  const users = new FakeUserDirectory();
  if (parts.status) {
    const person = { id: userId, email: 'a@example.org', name: 'A', department: null, role: 'member', attributes: {} };
    users.people.push({ ...person, status: parts.status });
  }
  const identity = { orgId, subject: 'sub', name: 'A', scopes, ...parts.jwt };
  // Only what the resolver calls is there.
  const tokens = { verify: () => Promise.resolve(parts.token ?? null) } as unknown as TokenVerifier;
  const jwts = { verify: () => Promise.resolve(parts.jwt ? identity : null) } as unknown as JwtVerifier;
  const organizations = { exists: () => Promise.resolve(parts.exists ?? true) } as unknown as OrganizationService;
  return { users, resolver: new BearerPrincipalResolver(tokens, jwts, organizations, users) };
}

const jwt = { headers: { authorization: 'Bearer aaa.bbb.ccc' } };

Logger.overrideLogger(false);

describe('the principal of a bearer credential', () => {
  it.each(['a@example.org', userId, userId.toUpperCase()])('is the active user that the JWT names: %s', async user => {
    const { resolver: resolve } = resolver({ jwt: { user }, status: 'active' });
    expect(await resolve.resolve(jwt)).toEqual({ kind: 'jwt', orgId, id: 'sub', name: 'A', scopes, userId });
  });

  it('is nobody while the user is suspended or inactive', async () => {
    for (const status of ['suspended', 'inactive'] as const) {
      expect(await resolver({ jwt: { user: userId }, status }).resolver.resolve(jwt)).toBeNull();
    }
  });

  it('has no user where the JWT names none that the organization knows', async () => {
    for (const named of [{}, { user: 'b@example.org' }]) {
      expect(await resolver({ jwt: named }).resolver.resolve(jwt)).not.toHaveProperty('userId');
    }
  });

  it('is nobody where the organization of the JWT does not exist', async () => {
    expect(await resolver({ jwt: {}, exists: false }).resolver.resolve(jwt)).toBeNull();
  });

  it('cannot be known while the user directory is away', async () => {
    const { resolver: resolve, users } = resolver({ jwt: { user: userId } });
    users.failure = new Error('away');
    await expect(resolve.resolve(jwt)).rejects.toThrow(UnavailableError);
  });

  it.each([
    ['no header', {}],
    ['an empty header', { authorization: '' }],
    ['a scheme alone', { authorization: 'Bearer' }],
    ['two credentials in one header', { authorization: 'Bearer aaa, Bearer bbb' }],
    ['a credential with a space', { authorization: 'Bearer aaa bbb' }],
    ['another scheme', { authorization: 'Token aaa' }],
    ['more than 8 KiB', { authorization: `Bearer ${'a'.repeat(8 * 1024)}` }],
  ])('is nobody with %s', async (_what, headers) => {
    const token = { orgId, id: 't', name: 'T', scopes, userId: null, issuedBy: [], endsWithUsers: [] };
    expect(await resolver({ token }).resolver.resolve({ headers })).toBeNull();
  });

  it('is nobody where the header stands twice', async () => {
    const token = { orgId, id: 't', name: 'T', scopes, userId: null, issuedBy: [], endsWithUsers: [] };
    const headers = { authorization: 'Bearer aaa' };
    const { resolver: resolve } = resolver({ token });
    expect(await resolve.resolve({ headers, rawHeaders: ['Authorization', 'Bearer aaa'] })).not.toBeNull();
    const twice = ['Authorization', 'Bearer aaa', 'authorization', 'Bearer bbb'];
    expect(await resolve.resolve({ headers, rawHeaders: twice })).toBeNull();
  });
});
