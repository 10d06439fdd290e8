import { BadRequestError, ForbiddenError } from '#core';
import type { Actor } from '../principals/principal.js';
import { effectiveScopes, ROLE_SCOPES, type Role, type Scope } from '../principals/scopes.js';

const DEFAULT_LIFETIME_DAYS = 90;
const MAX_LIFETIME_DAYS = 365;
const DAY_MS = 24 * 60 * 60 * 1000;

/** What a new token shall be. */
export interface TokenRequest {
  name: string;
  role: Role;
  /** A narrower choice from the role's scopes; left out, all of them. */
  scopes?: readonly Scope[];
  /** The user whose token it is; the token dies with the user's access. */
  userId?: string;
  /** Default: in 90 days. At most one year ahead. */
  expiresAt?: Date;
}

/** What the operator says of a new token. */
export interface OperatorTokenRequest {
  name: string;
  role: Role;
  userId?: string | null;
  /** A whole number from 1 to 365. Default: 90. */
  expiresInDays?: number;
}

/** @throws BadRequestError where the number of days is none from 1 to 365. */
export function daysFrom(now: Date, days: number): Date {
  if (!Number.isInteger(days) || days < 1 || days > MAX_LIFETIME_DAYS) {
    throw BadRequestError.field('expires_in_days', `must be a whole number from 1 to ${MAX_LIFETIME_DAYS}`);
  }
  return new Date(now.getTime() + days * DAY_MS);
}

/** @throws BadRequestError where a scope is not part of the role, ForbiddenError where the actor lacks one itself. */
export function refuseExcess(actor: Actor, request: TokenRequest): void {
  const outside = (request.scopes ?? []).findIndex(scope => !ROLE_SCOPES[request.role].includes(scope));
  if (outside !== -1) {
    const known = ROLE_SCOPES[request.role].join(', ');
    throw BadRequestError.field(`scopes[${outside}]`, `is not part of the role ${request.role}, which has: ${known}`);
  }
  const lacking = effectiveScopes(request.role, request.scopes ?? null).filter(scope => !actor.scopes.has(scope));
  if (lacking.length > 0) {
    throw new ForbiddenError(`You cannot grant what you do not hold yourself: ${lacking.join(', ')}.`);
  }
  const acting = request.userId !== undefined && request.userId !== actor.userId;
  if (acting && !actor.scopes.has('users:write')) {
    throw new ForbiddenError('A token in the name of another user needs the scope users:write.');
  }
}

/** @throws BadRequestError where the wish is past or more than a year ahead. */
export function expiryOf(wish: Date | undefined, now: Date): Date {
  if (wish === undefined) return daysFrom(now, DEFAULT_LIFETIME_DAYS);
  const latest = new Date(now);
  latest.setUTCFullYear(latest.getUTCFullYear() + 1);
  if (wish <= now) throw BadRequestError.field('expires_at', 'must be in the future');
  if (wish > latest) throw BadRequestError.field('expires_at', 'must be at most one year from now');
  return wish;
}
