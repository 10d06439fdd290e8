import { Injectable, Logger } from '@nestjs/common';
import { isUuid, UserDirectory, type UserReference } from '#core';
import { ClientAddress } from '../http/client-address.js';
import { requestIdOf, type HttpRequest } from '../http/http-request.js';
import { IdentityLinks } from '../identities/identity-links.js';
import { KnownIdentities } from '../identities/known-identities.js';
import { OrganizationService } from '../organizations/organization.service.js';
import { findUsers } from './find-users.js';
import type { JwtIdentity } from './jwt-verifier.js';
import type { Principal } from './principal.js';

/**
 * Says who the bearer of a verified JWT is. The first sign-in of an account links its `iss` and `sub` to the user whom the
 * provider vouches for. From then on the link alone counts: an address can change hands, a subject cannot.
 */
@Injectable()
export class JwtPrincipals {
  private readonly logger = new Logger('Governance');

  constructor(
    private readonly organizations: OrganizationService,
    private readonly known: KnownIdentities,
    private readonly links: IdentityLinks,
    private readonly users: UserDirectory,
    private readonly clientAddress: ClientAddress,
  ) {}

  /** The principal, or null where the bearer is not let in. */
  async of(identity: JwtIdentity, request: HttpRequest): Promise<Principal | null> {
    const { orgId, issuer, subject, name, scopes } = identity;
    if (!(await this.organizations.exists(orgId))) return null;
    // Two providers may give the same subject to different people.
    const principal: Principal = { kind: 'jwt', orgId, id: `${issuer}#${subject}`, name, scopes };
    const link = await this.known.find(identity);
    if (link?.endedAt === null) {
      const [user] = await findUsers(this.users, orgId, [{ user_id: link.userId }]);
      return user?.status === 'active' ? { ...principal, userId: user.id } : null;
    }
    const named = identity.user === undefined ? [] : [referenceTo(identity.user)];
    const [user] = await findUsers(this.users, orgId, named);
    if (user)
      return user.status === 'active' ? this.signIn(identity, { ...principal, userId: user.id }, request) : null;
    // An account whose user has left stays known, whatever its address is now.
    if (link || identity.hasUnprovenAddress || !identity.acceptsUnknown) return null;
    return principal;
  }

  private async signIn(
    identity: JwtIdentity,
    principal: Principal & { userId: string },
    request: HttpRequest,
  ): Promise<Principal | null> {
    const { orgId, issuer, subject, issuedAt } = identity;
    const { userId } = principal;
    const actor = { ...principal, address: this.clientAddress.of(request), requestId: requestIdOf(request) };
    if (await this.links.link(actor, { orgId, issuer, subject, userId, issuedAt })) return principal;
    this.logger.warn(
      `The account ${JSON.stringify(subject)} of ${issuer} has the e-mail address of user ${userId}, but cannot be linked: ` +
        'the user has another account there, or the account was of somebody who has left. Where the account was created ' +
        `anew, remove the old link: GET /v1/identities?user_id=${userId}, DELETE /v1/identities/{id}.`,
    );
    return null;
  }
}

function referenceTo(user: string): UserReference {
  return isUuid(user) ? { user_id: user.toLowerCase() } : { user_email: user };
}
