import { isStorableText, isUuid } from '#core';
import { ROLES, type Role } from '../principals/scopes.js';

/** How claims of an identity provider map to an organization, a user and a role. */
export interface ClaimRules {
  organizationId?: string;
  claims?: { organization?: string; user?: string; role?: string };
  trustEmail?: boolean;
  roles?: Record<string, Role>;
}

/** The relevant claims of a verified token. */
export interface ReadClaims {
  /** The organization's id in lower case. Undefined if neither the rules nor the claims contain it. */
  readonly orgId: string | undefined;
  readonly subject: string | undefined;
  /** The claim `iat`, if there is one. */
  readonly issuedAt: Date | undefined;
  readonly name: string;
  /** UUID or e-mail address of the user, if the provider has verified it. */
  readonly user: string | undefined;
  /** Whether there is a UUID or an e-mail address that the provider has not verified. */
  readonly hasUnprovenAddress: boolean;
  /** Roles that the claims name. Empty if no claim names a known role. */
  readonly roles: readonly Role[];
}

const MAX_SUBJECT = 255;

/** Reads the claims of a token whose signature, issuer, audience and expiry were checked. */
export function readClaims(rules: ClaimRules, claims: Readonly<Record<string, unknown>>): ReadClaims {
  const names = { organization: 'org_id', user: 'email', role: 'role', ...rules.claims };
  const [orgId, user, role] = [
    rules.organizationId ?? claims[names.organization],
    claims[names.user],
    claims[names.role],
  ];
  const { sub: subject, iat, name } = claims;
  const provenAddress = provenUser(rules, user, claims['email_verified']);
  return {
    orgId: isUuid(orgId) ? orgId.toLowerCase() : undefined,
    subject: isSubject(subject) ? subject : undefined,
    issuedAt: typeof iat === 'number' ? new Date(iat * 1000) : undefined,
    name: typeof name === 'string' && isStorableText(name) ? name : String(subject),
    user: provenAddress,
    hasUnprovenAddress: user !== undefined && provenAddress === undefined,
    roles: (Array.isArray(role) ? role : [role]).flatMap((each: unknown) => rolesNamed(rules, each)),
  };
}

/** The role that a name maps to, as a list; empty if the name maps to no role. */
export function rolesNamed({ roles }: Pick<ClaimRules, 'roles'>, name: unknown): Role[] {
  if (typeof name !== 'string') return [];
  if (!roles) return ROLES.filter(role => role === name);
  const role = Object.hasOwn(roles, name) ? roles[name] : undefined;
  return role === undefined ? [] : [role];
}

/** OpenID Connect Core allows 255 characters. */
function isSubject(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= MAX_SUBJECT && isStorableText(value);
}

/**
 * The user is proven only by a verified claim, or by a claim of a provider with `trustEmail`. Otherwise anyone who can
 * edit the claim could act as that user. Some providers send `email_verified` as a string.
 */
function provenUser({ trustEmail }: ClaimRules, user: unknown, verified: unknown): string | undefined {
  if (typeof user !== 'string' || !isStorableText(user)) return undefined;
  const isProven = verified === undefined ? trustEmail === true : verified === true || verified === 'true';
  return isProven ? user : undefined;
}
