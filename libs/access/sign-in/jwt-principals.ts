import { Injectable } from '@nestjs/common';
import { isUuid, OrganizationStates, UserDirectory, type UserReference } from '#core';
import { IdentityLinks } from '../identities/identity-links.js';
import { KnownIdentities } from '../identities/known-identities.js';
import { OrganizationService } from '../organizations/organization.service.js';
import { findUsers } from './find-users.js';
import type { JwtIdentity } from './jwt-verifier.js';
import type { Actor } from '../principals/principal.js';

/** Whether the bearer of a JWT is accepted. */
export type Bearer =
  | { readonly isLetIn: true; readonly userId?: string }
  | {
      readonly isLetIn: false;
      /** The account is linked to a user without access: that is known without a query. */
      readonly isLinked?: true;
      /** The user whom the provider vouches for, and to whom the account cannot be linked. */
      readonly takenUserId?: string;
    };

const REFUSED: Bearer = { isLetIn: false };

/**
 * Says who the bearer of a verified JWT is. The first sign-in of an account links its `iss` and `sub` to the user whom the
 * provider vouches for. From then on the link alone counts: an address can change hands, a subject cannot.
 */
@Injectable()
export class JwtPrincipals {
  constructor(
    private readonly organizations: OrganizationService,
    private readonly known: KnownIdentities,
    private readonly links: IdentityLinks,
    private readonly users: UserDirectory,
    private readonly states: OrganizationStates,
  ) {}

  /**
   * Looks the bearer up, and links the account where this is its first sign-in.
   * @throws OrganizationSuspendedError
   */
  async of(identity: JwtIdentity, origin: Pick<Actor, 'address' | 'requestId'>): Promise<Bearer> {
    const { orgId } = identity;
    if (!(await this.organizations.exists(orgId))) return REFUSED;
    await this.states.assertActive(orgId);
    const link = await this.known.find(identity);
    if (link?.endedAt === null) {
      const [user] = await findUsers(this.users, orgId, [{ user_id: link.userId }]);
      return user?.status === 'active' ? { isLetIn: true, userId: user.id } : { isLetIn: false, isLinked: true };
    }
    const named = identity.user === undefined ? [] : [referenceTo(identity.user)];
    const [user] = await findUsers(this.users, orgId, named);
    if (user) return user.status === 'active' ? this.signIn(identity, user.id, origin) : REFUSED;
    // The account of a former user stays known, even if its address has changed.
    if (link || identity.hasUnprovenAddress || !identity.acceptsUnknown) return REFUSED;
    return { isLetIn: true };
  }

  private async signIn(
    { orgId, issuer, subject, issuedAt, name, scopes }: JwtIdentity,
    userId: string,
    origin: Pick<Actor, 'address' | 'requestId'>,
  ): Promise<Bearer> {
    const actor: Actor = { kind: 'jwt', orgId, id: `${issuer}#${subject}`, name, scopes, userId, ...origin };
    const isLinked = await this.links.link(actor, { orgId, issuer, subject, userId, issuedAt });
    return isLinked ? { isLetIn: true, userId } : { isLetIn: false, takenUserId: userId };
  }
}

function referenceTo(user: string): UserReference {
  return isUuid(user) ? { user_id: user.toLowerCase() } : { user_email: user };
}
