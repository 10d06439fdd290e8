import { Injectable, Logger } from '@nestjs/common';
import {
  type DirectoryUser,
  GovernanceError,
  isUuid,
  UnavailableError,
  UserDirectory,
  type UserReference,
  messageOf,
} from '#core';
import type { HttpRequest } from '../http/http-request.js';
import { OrganizationService } from '../organizations/organization.service.js';
import { TokenVerifier } from '../tokens/token-verifier.js';
import { bearerCredentialOf } from './bearer-credential.js';
import { looksLikeJwt } from './jwt-shape.js';
import { JwtVerifier } from './jwt-verifier.js';
import type { Principal } from './principal.js';
import { PrincipalResolver } from './principal-resolver.port.js';

/**
 * Accepts access tokens and JWTs of configured identity providers. A credential that belongs to a user is refused while
 * the user is suspended or inactive, and so is a person's token while one of its makers is.
 */
@Injectable()
export class BearerPrincipalResolver extends PrincipalResolver {
  private readonly logger = new Logger('Governance');

  constructor(
    private readonly tokens: TokenVerifier,
    private readonly jwts: JwtVerifier,
    private readonly organizations: OrganizationService,
    private readonly users: UserDirectory,
  ) {
    super();
  }

  async resolve(request: HttpRequest): Promise<Principal | null> {
    const credential = bearerCredentialOf(request);
    if (credential === null) return null;
    return looksLikeJwt(credential) ? this.fromJwt(credential) : this.fromToken(credential);
  }

  private async fromToken(credential: string): Promise<Principal | null> {
    const token = await this.tokens.verify(credential);
    if (!token) return null;
    const { orgId, id, name, scopes, userId, issuedBy, endsWithUsers } = token;
    const principal: Principal = { kind: 'token', orgId, id, name, scopes, issuedBy };
    const people = [...(userId === null ? [] : [userId]), ...endsWithUsers];
    // A token is refused while its user or one of its makers has no access, or is gone.
    const users = await this.findUsers(
      orgId,
      people.map(person => ({ user_id: person })),
    );
    if (!users.every(user => user?.status === 'active')) return null;
    return userId === null ? principal : { ...principal, userId };
  }

  private async fromJwt(credential: string): Promise<Principal | null> {
    const identity = await this.jwts.verify(credential);
    if (!identity || !(await this.organizations.exists(identity.orgId))) return null;
    const { orgId, subject, name, scopes } = identity;
    const principal: Principal = { kind: 'jwt', orgId, id: subject, name, scopes };
    if (identity.user === undefined) return principal;
    const [user] = await this.findUsers(orgId, [referenceTo(identity.user)]);
    // The provider may know people who never came into contact with an LLM.
    if (!user) return principal;
    return user.status === 'active' ? { ...principal, userId: user.id } : null;
  }

  private async findUsers(
    orgId: string,
    references: readonly UserReference[],
  ): Promise<readonly (DirectoryUser | undefined)[]> {
    if (references.length === 0) return [];
    try {
      return await this.users.find(orgId, references);
    } catch (error) {
      if (error instanceof GovernanceError) throw error;
      this.logger.error(`The user directory cannot be reached: ${messageOf(error)}`);
      throw new UnavailableError('The user directory cannot be reached; try again shortly.');
    }
  }
}

function referenceTo(user: string): UserReference {
  return isUuid(user) ? { user_id: user.toLowerCase() } : { user_email: user };
}
