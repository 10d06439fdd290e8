import { ForbiddenError } from '#core';
import { isPerson, type Actor } from '../principals/principal.js';
import { MACHINE_ROLES, type Role } from '../principals/scopes.js';

/** A stored token with which a new one is made, or one of those with which that was made. */
export interface MakerToken {
  id: string;
  userId: string | null;
  endsWithUsers: readonly string[];
}

/** Whose a new token is, and with what it ends beside its own expiry and revocation. */
export interface Ownership {
  userId: string | null;
  issuedByToken: string | null;
  /** It is refused while one of these people has no access. */
  endsWithUsers: string[];
  /** It ends for good when one of these tokens is revoked. */
  endsWithTokens: string[];
}

/** Whether the caller signed in, at an identity provider or at the host, and did not come with a token. */
export function isSignIn({ kind }: Actor): boolean {
  return kind === 'jwt' || kind === 'host';
}

/**
 * Whether what the caller makes proves nothing about the person that it is for. The command line is no such caller:
 * it needs the database itself, and the first person of an organization has no other token to begin with.
 */
export function isByNobody(actor: Actor): boolean {
  return actor.kind !== 'cli' && !isPerson(actor);
}

/**
 * The owner of a new token. Tokens of people belong to a person, by default to the caller, and end with the access of
 * everybody who made them, because the maker has seen the secret. Tokens of machines belong to the organization and
 * outlive the people who made them. What a token without a person has made ends with it, whatever its role.
 * @param maker the token that the caller asks with, null where it is none
 * @param above the tokens with which `maker` ends
 * @throws ForbiddenError where a sign-in that belongs to no user asks for a token of a person
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
