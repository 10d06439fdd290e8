import { ForbiddenError } from '#core';
import { isPerson, type Actor } from '../principals/principal.js';
import { MACHINE_ROLES, type Role } from '../principals/scopes.js';

/** A token that creates a new token, or one of its own creators. */
export interface MakerToken {
  id: string;
  userId: string | null;
  endsWithUsers: readonly string[];
}

/**
 * The owner of a new token, and the users and tokens whose end also ends it. Expiry and revocation end it in any case.
 */
export interface Ownership {
  userId: string | null;
  issuedByToken: string | null;
  /** The token is refused while one of these users has no access. */
  endsWithUsers: string[];
  /** The token is revoked together with any of these tokens. */
  endsWithTokens: string[];
}

/** Whether the caller signed in at an identity provider or at the host. Such a caller has no token. */
export function isSignIn({ kind }: Actor): boolean {
  return kind === 'jwt' || kind === 'host';
}

/**
 * Whether the caller's credential does not prove who its user is, so that a new token cannot prove it either. The
 * command line is an exception: it has access to the database anyway, and creates the first token of an organization.
 */
export function lacksProvenUser(actor: Actor): boolean {
  return actor.kind !== 'cli' && !isPerson(actor);
}

/**
 * The owner of a new token. A personal token belongs to a user, by default the caller. It ends with the access of all
 * its creators, because a creator has seen the secret. A machine token belongs to the organization and stays valid
 * without its creators. When a token without a user ends, all tokens that it created end as well.
 * @param maker the caller's token; null if there is none
 * @param above the tokens that end `maker`
 * @throws ForbiddenError if a sign-in without a user requests a personal token
 */
export function ownershipOf(
  actor: Actor,
  { role, userId }: { role: Role; userId?: string },
  maker: MakerToken | null,
  above: readonly MakerToken[],
): Ownership {
  const issuedByToken = maker?.id ?? null;
  const chain = maker === null ? [] : [maker, ...above];
  if (MACHINE_ROLES.has(role)) {
    const withoutPerson = chain.filter(token => token.userId === null);
    return { userId: userId ?? null, issuedByToken, endsWithUsers: [], endsWithTokens: idsOf(withoutPerson) };
  }
  if (actor.userId === undefined && isSignIn(actor)) {
    throw new ForbiddenError(
      `Your sign-in belongs to no user of this organization, so a token of the role ${role} could not end with your ` +
        'access; have a user created for you, or make a token of the role agent or scim.',
    );
  }
  const makers = [...(actor.userId === undefined ? [] : [actor.userId]), ...(maker?.endsWithUsers ?? [])];
  return {
    userId: userId ?? actor.userId ?? null,
    issuedByToken,
    endsWithUsers: [...new Set(makers)],
    endsWithTokens: idsOf(chain),
  };
}

function idsOf(tokens: readonly MakerToken[]): string[] {
  return tokens.map(({ id }) => id);
}
