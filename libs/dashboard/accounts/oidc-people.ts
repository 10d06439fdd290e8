import { Injectable } from '@nestjs/common';
import {
  JwtPrincipals,
  readClaims,
  ROLE_SCOPES,
  rolesNamed,
  type Actor,
  type Principal,
  type RefusedBearer,
  type Role,
} from '#access';
import type { DirectoryUser } from '#core';
import type { OidcProvider } from './oidc-provider.js';
import type { OidcIdentity } from './oidc-identity.js';
import { OidcProviders } from './oidc-providers.js';
import { OidcRefusal, type OidcRefusalCode } from './oidc-refusal.js';

/** Claims about a person, from a verified response. */
export type Claims = Readonly<Record<string, unknown>>;

/** An account at a provider. The user to whom it belongs is not determined yet. */
export interface OidcAccount {
  readonly orgId: string;
  readonly identity: OidcIdentity;
  readonly user: string | undefined;
  readonly hasUnprovenAddress: boolean;
  readonly issuedAt: Date | undefined;
}

const REFUSALS = {
  organization: ['no_organization', 'There is no organization with the id of the sign-in.'],
  unknown: ['unknown', 'No user has the e-mail address or UUID of the account.'],
  unproven: ['unverified_email', 'The provider does not vouch for the e-mail address.'],
  no_access: ['no_access', 'The user has no access.'],
  taken: ['taken', 'The account cannot be linked to the user: one of them is linked already.'],
} as const satisfies Record<RefusedBearer, readonly [OidcRefusalCode, string]>;

/** Finds the person behind an account, at the sign-in and with each later request. */
@Injectable()
export class OidcPeople {
  constructor(
    private readonly principals: JwtPrincipals,
    private readonly providers: OidcProviders,
  ) {}

  /**
   * The account that the claims of a verified response describe.
   * @throws OidcRefusal if the claims name no organization or subject
   */
  accountOf(provider: OidcProvider, claims: Claims): OidcAccount {
    const { orgId, subject, name, user, hasUnprovenAddress, issuedAt, roles } = readClaims(provider, claims);
    if (subject === undefined) throw new OidcRefusal('invalid', 'The ID token has no subject that can be stored.');
    if (orgId === undefined) throw new OidcRefusal('no_organization', 'The claims name no organization.');
    const identity = { provider: provider.id, issuer: provider.issuer, subject, name };
    // `email_verified` only concerns the claim `email`. Users may be able to choose the value of another claim.
    const isProven = (provider.claims?.user ?? 'email') === 'email' || provider.trustEmail === true;
    return {
      ...{ orgId, issuedAt, user: isProven ? user : undefined },
      hasUnprovenAddress: hasUnprovenAddress || (user !== undefined && !isProven),
      identity: { ...identity, roles: provider.roleFrom === 'user' ? [] : roles },
    };
  }

  /**
   * The person behind an account. Links the account to its user at the first sign-in.
   * @throws OidcRefusal with the reason if the person may not sign in
   */
  async signIn(account: OidcAccount, origin: Pick<Actor, 'address' | 'requestId'>): Promise<Principal> {
    const { orgId, identity, user, hasUnprovenAddress, issuedAt } = account;
    const { issuer, subject, name, provider: id } = identity;
    const provider = this.providers.get(id);
    // Checked before the account is linked, so that accounts of people without a role are not linked.
    if (provider.roleFrom !== 'user' && rolesOf(provider, identity, '').length === 0) throw noRole();
    const bearer = await this.principals.of(
      {
        ...{ orgId, issuer, subject, name, issuedAt, hasUnprovenAddress, acceptsUnknown: false, scopes: new Set() },
        ...(user === undefined ? {} : { user }),
      },
      origin,
    );
    if (!bearer.isLetIn) throw refusalFor(bearer.reason);
    const principal = await this.principalOf(orgId, identity);
    if (!principal) throw refusalFor('no_access');
    if (principal.scopes.size === 0) throw noRole();
    return principal;
  }

  /**
   * The principal of a session; null if its provider is no longer configured, its account is no longer linked, or its
   * user has no access.
   */
  async principalOf(orgId: string, identity: OidcIdentity): Promise<Principal | null> {
    const { provider: id, issuer, subject, name } = identity;
    const provider = this.providers.find(id);
    if (provider?.issuer !== issuer) return null;
    const user = await this.principals.linkedUser({ orgId, issuer, subject });
    if (!user) return null;
    const scopes = new Set(rolesOf(provider, identity, user.role).flatMap(role => ROLE_SCOPES[role]));
    return { kind: 'jwt', orgId, id: `${issuer}#${subject}`, name, scopes, userId: user.id };
  }
}

function rolesOf(provider: OidcProvider, { roles }: OidcIdentity, ofUser: DirectoryUser['role']): readonly Role[] {
  const named = provider.roleFrom === 'user' ? rolesNamed(provider, ofUser) : roles;
  if (named.length > 0 || provider.defaultRole === undefined) return named;
  return [provider.defaultRole];
}

function refusalFor(reason: RefusedBearer): OidcRefusal {
  const [code, message] = REFUSALS[reason];
  return new OidcRefusal(code, message);
}

function noRole(): OidcRefusal {
  return new OidcRefusal('no_role', 'No role or group of the account gives access.');
}
