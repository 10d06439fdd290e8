import { BadRequestError, ForbiddenError, type Tags } from '#core';
import type { Actor } from '../principals/principal.js';
import { effectiveScopes, ROLE_SCOPES, type Role, type Scope } from '../principals/scopes.js';

const DEFAULT_LIFETIME_DAYS = 90;
const MAX_LIFETIME_DAYS = 365;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Request for a new token. */
export interface TokenRequest {
  name: string;
  role: Role;
  /** A subset of the role's scopes. Default: all. */
  scopes?: readonly Scope[];
  /**
   * The user to whom the token belongs. The token ends when the user loses access. Default: the actor's user, except
   * for the roles agent and scim.
   */
  userId?: string;
  /**
   * Default: in 90 days, or at the earliest limit if that is sooner. At most one year ahead, and not after the expiry
   * of the creating token.
   */
  expiresAt?: Date;
  /** Model names or patterns with `*`, 1 to 100. Default: the models of the creating token, or all. */
  models?: readonly string[] | null;
  /** Project of requests with the token. Default: the project of the creating token. */
  project?: string | null;
  /** Tags of requests with the token. Default: the tags of the creating token. */
  tags?: Tags | null;
}

/** Request of the operator for a new token. */
export interface OperatorTokenRequest {
  name: string;
  role: Role;
  userId?: string | null;
  /** An integer from 1 to 365. Default: 90. */
  expiresInDays?: number;
}

/** @throws BadRequestError if the number of days is not an integer from 1 to 365. */
export function daysFrom(now: Date, days: number): Date {
  if (!Number.isInteger(days) || days < 1 || days > MAX_LIFETIME_DAYS) {
    throw BadRequestError.field('expires_in_days', `must be a whole number from 1 to ${MAX_LIFETIME_DAYS}`);
  }
  return new Date(now.getTime() + days * DAY_MS);
}

/**
 * @throws BadRequestError if a scope is not part of the role
 * @throws ForbiddenError if the actor lacks a scope
 */
export function refuseExcess(actor: Actor, request: TokenRequest): void {
  const outside = (request.scopes ?? []).findIndex(scope => !ROLE_SCOPES[request.role].includes(scope));
  if (outside !== -1) {
    const known = ROLE_SCOPES[request.role].join(', ');
    throw BadRequestError.field(`scopes[${outside}]`, `is not part of the role ${request.role}, which has: ${known}`);
  }
  const lacking = effectiveScopes(request.role, request.scopes ?? null).filter(scope => !actor.scopes.has(scope));
  if (lacking.length > 0) {
    throw new ForbiddenError(`You cannot grant scopes that you do not have: ${lacking.join(', ')}.`);
  }
  const acting = request.userId !== undefined && request.userId !== actor.userId;
  if (acting && !actor.scopes.has('users:write')) {
    throw new ForbiddenError('A token in the name of another user needs the scope users:write.');
  }
}

/** The latest expiry of a token, and the reason. */
export interface ExpiryLimit {
  at: Date;
  /** Completes the sentence "The expiry must …". */
  because: string;
}

/** The limit for a token that another token creates. */
export function limitOfMaker(expiresAt: Date): ExpiryLimit {
  const at = expiresAt.toISOString();
  return { at: expiresAt, because: `be no later than ${at}, when the token that you make it with expires` };
}

/** The organization's limit for tokens that are created after a sign-in. */
export function limitOfSignIn(now: Date, days: number): ExpiryLimit {
  const at = new Date(now.getTime() + days * DAY_MS);
  const because = `be no later than ${at.toISOString()}: sign_in_token_max_days of the organization is ${days}`;
  return { at, because };
}

/**
 * The expiry of a new token. Default: in 90 days, or at the earliest limit if that is sooner.
 * @throws BadRequestError if the requested time is past, more than a year ahead or later than a limit
 */
export function expiryOf(requested: Date | undefined, now: Date, limits: readonly ExpiryLimit[]): Date {
  if (requested === undefined) {
    const ends = [daysFrom(now, DEFAULT_LIFETIME_DAYS), ...limits.map(({ at }) => at)];
    return new Date(Math.min(...ends.map(end => end.getTime())));
  }
  if (requested <= now) throw BadRequestError.field('expires_at', 'must be in the future');
  const latest = new Date(now);
  latest.setUTCFullYear(latest.getUTCFullYear() + 1);
  for (const { at, because } of [{ at: latest, because: 'be at most one year from now' }, ...limits]) {
    if (requested > at) throw BadRequestError.field('expires_at', `must ${because}`);
  }
  return requested;
}
