import { Injectable } from '@nestjs/common';
import { isUuid, OrganizationStates, UserDirectory, type DirectoryUser, type UserReference } from '#core';
import { IdentityLinks } from '../identities/identity-links.js';
import { KnownIdentities, type Account } from '../identities/known-identities.js';
import { OrganizationNotFoundError } from '../organizations/organization.errors.js';
import { OrganizationService } from '../organizations/organization.service.js';
import { findUsers } from './find-users.js';
import type { JwtIdentity } from './jwt-verifier.js';
import type { Actor } from '../principals/principal.js';

/**
 * Why a JWT is refused. `organization`: the organization does not exist. `unknown`: no user has the address.
 * `unproven`: the provider has not verified the address. `no_access`: the user is suspended, inactive or has left.
 * `taken`: the user has another account at the provider, or the account was another user's.
 */
export type RefusedBearer = 'organization' | 'unknown' | 'unproven' | 'no_access' | 'taken';

/** The result for a JWT. */
export type Bearer =
  | { readonly isLetIn: true; readonly userId?: string }
  | {
      readonly isLetIn: false;
      readonly reason: RefusedBearer;
      /** The account is linked to a user without access. This was determined from memory, without a query. */
      readonly isLinked?: true;
      /** The user to whom the account cannot be linked. */
      readonly takenUserId?: string;
    };

const refused = (reason: RefusedBearer): Bearer => ({ isLetIn: false, reason });

/**
 * Finds the principal of a verified JWT. The first sign-in of an account links its `iss` and `sub` to the user whom the
 * provider has verified. Later sign-ins use only this link, because an e-mail address can be reassigned, but a subject
 * cannot.
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
   * Finds the principal, and links the account at its first sign-in.
   * @throws OrganizationSuspendedError
   */
  async of(identity: JwtIdentity, origin: Pick<Actor, 'address' | 'requestId'>): Promise<Bearer> {
    try {
      return await this.lookUp(identity, origin);
    } catch (error) {
      // The organization was deleted while the request was processed.
      if (error instanceof OrganizationNotFoundError) return refused('organization');
      throw error;
    }
  }

  private async lookUp(identity: JwtIdentity, origin: Pick<Actor, 'address' | 'requestId'>): Promise<Bearer> {
    const { orgId } = identity;
    if (!(await this.organizations.exists(orgId))) return refused('organization');
    await this.states.assertActive(orgId);
    const link = await this.known.find(identity);
    if (link?.endedAt === null) {
      const user = await this.activeUser(orgId, { user_id: link.userId });
      return user ? { isLetIn: true, userId: user.id } : { isLetIn: false, reason: 'no_access', isLinked: true };
    }
    const named = identity.user === undefined ? [] : [referenceTo(identity.user)];
    const [user] = await findUsers(this.users, orgId, named);
    if (user) return user.status === 'active' ? this.signIn(identity, user.id, origin) : refused('no_access');
    // An ended link belongs to a former user. The account is recognized even if its e-mail address has changed.
    if (link) return refused('no_access');
    if (identity.hasUnprovenAddress) return refused('unproven');
    if (!identity.acceptsUnknown) return refused('unknown');
    return { isLetIn: true };
  }

  /**
   * The user of an account with an active link; undefined if there is no link, or the user has no access.
   * @throws OrganizationSuspendedError
   */
  async linkedUser(account: Account): Promise<DirectoryUser | undefined> {
    if (!(await this.organizations.exists(account.orgId))) return undefined;
    await this.states.assertActive(account.orgId);
    const link = await this.known.find(account);
    return link?.endedAt === null ? this.activeUser(account.orgId, { user_id: link.userId }) : undefined;
  }

  private async activeUser(orgId: string, reference: UserReference): Promise<DirectoryUser | undefined> {
    const [user] = await findUsers(this.users, orgId, [reference]);
    return user?.status === 'active' ? user : undefined;
  }

  private async signIn(
    { orgId, issuer, subject, issuedAt, name, scopes }: JwtIdentity,
    userId: string,
    origin: Pick<Actor, 'address' | 'requestId'>,
  ): Promise<Bearer> {
    const actor: Actor = { kind: 'jwt', orgId, id: `${issuer}#${subject}`, name, scopes, userId, ...origin };
    const isLinked = await this.links.link(actor, { orgId, issuer, subject, userId, issuedAt });
    return isLinked ? { isLetIn: true, userId } : { isLetIn: false, reason: 'taken', takenUserId: userId };
  }
}

function referenceTo(user: string): UserReference {
  return isUuid(user) ? { user_id: user.toLowerCase() } : { user_email: user };
}
