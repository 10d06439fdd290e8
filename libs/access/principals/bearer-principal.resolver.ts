import { Injectable } from '@nestjs/common';
import { UserDirectory } from '#core';
import type { HttpRequest } from '../http/http-request.js';
import { TokenVerifier } from '../tokens/token-verifier.js';
import { bearerCredentialOf } from './bearer-credential.js';
import { findUsers } from './find-users.js';
import { looksLikeJwt } from './jwt-shape.js';
import { JwtSignIns } from './jwt-sign-ins.js';
import { JwtVerifier } from './jwt-verifier.js';
import type { Principal } from './principal.js';
import { PrincipalResolver } from './principal-resolver.port.js';
import { SignInLimits } from './sign-in-limits.js';

/**
 * Accepts access tokens and JWTs of configured identity providers. A credential that belongs to a user is refused while
 * the user is suspended or inactive, and so is a person's token while one of its makers is.
 */
@Injectable()
export class BearerPrincipalResolver extends PrincipalResolver {
  constructor(
    private readonly tokens: TokenVerifier,
    private readonly jwts: JwtVerifier,
    private readonly jwtSignIns: JwtSignIns,
    private readonly users: UserDirectory,
    private readonly limits: SignInLimits,
  ) {
    super();
  }

  async resolve(request: HttpRequest): Promise<Principal | null> {
    const credential = bearerCredentialOf(request);
    if (credential === null) return null;
    if (!looksLikeJwt(credential)) return this.fromToken(credential, request);
    const identity = await this.jwts.verify(credential);
    return identity && this.jwtSignIns.of(identity, request);
  }

  private async fromToken(credential: string, request: HttpRequest): Promise<Principal | null> {
    const token = await this.tokens.verify(credential, look => this.limits.lookUp(request, look));
    if (!token) return null;
    const { orgId, id, name, scopes, userId, issuedBy, issuedByNobody, endsWithUsers } = token;
    const principal: Principal = { kind: 'token', orgId, id, name, scopes, issuedBy, issuedByNobody };
    if (userId === null && endsWithUsers.length === 0) return principal;
    const people = [...(userId === null ? [] : [userId]), ...endsWithUsers];
    const references = people.map(person => ({ user_id: person }));
    // A token is refused while its user or one of its makers has no access, or is gone.
    const users = await findUsers(this.users, orgId, references);
    if (!users.every(user => user?.status === 'active')) return null;
    return userId === null ? principal : { ...principal, userId };
  }
}
