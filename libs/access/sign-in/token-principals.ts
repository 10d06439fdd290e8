import { Injectable } from '@nestjs/common';
import { OrganizationStates, UserDirectory } from '#core';
import type { HttpRequest } from '../request/http-request.js';
import { TokenVerifier, type VerifiedToken } from '../tokens/token-verifier.js';
import { OrganizationNotFoundError } from '../organizations/organization.errors.js';
import { findUsers } from './find-users.js';
import type { Principal } from '../principals/principal.js';
import { SignInLimits } from './sign-in-limits.js';

/** Finds the principals of access tokens. Refuses a token while its user or one of its creators has no access. */
@Injectable()
export class TokenPrincipals {
  constructor(
    private readonly tokens: TokenVerifier,
    private readonly users: UserDirectory,
    private readonly limits: SignInLimits,
    private readonly organizations: OrganizationStates,
  ) {}

  /**
   * The principal of a token; null if the token is invalid.
   * @throws RateLimitedError if too many unknown credentials came from the address of the request
   * @throws OrganizationSuspendedError if the token is valid, but its organization is suspended
   */
  async ofCredential(credential: string, request: HttpRequest): Promise<Principal | null> {
    return this.of(await this.tokens.verify(credential, look => this.limits.lookUp(request, look)));
  }

  /** The principal of a token by its digest (SHA-256, base64); null if the token is no longer valid. */
  async ofDigest(digest: string): Promise<Principal | null> {
    return this.of(await this.tokens.verifyDigest(digest));
  }

  private async of(token: VerifiedToken | null): Promise<Principal | null> {
    if (!token) return null;
    const { orgId, id, name, scopes, userId, issuedBy, issuedByNobody, bounds } = token;
    const known: Principal = { kind: 'token', orgId, id, name, scopes, issuedBy, issuedByNobody };
    const principal = bounds ? { ...known, token: bounds } : known;
    try {
      if (await this.isOfNobody(token)) return null;
      await this.organizations.assertActive(orgId);
    } catch (error) {
      // The organization was deleted, with its tokens, after the token was looked up.
      if (error instanceof OrganizationNotFoundError) return null;
      throw error;
    }
    return userId === null ? principal : { ...principal, userId };
  }

  /** Whether the user of the token or one of its creators has no access or no longer exists. */
  private async isOfNobody({ orgId, userId, endsWithUsers }: VerifiedToken): Promise<boolean> {
    if (userId === null && endsWithUsers.length === 0) return false;
    const people = [...(userId === null ? [] : [userId]), ...endsWithUsers];
    const references = people.map(person => ({ user_id: person }));
    const users = await findUsers(this.users, orgId, references);
    return !users.every(user => user?.status === 'active');
  }
}
